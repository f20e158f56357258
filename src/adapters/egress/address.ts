/** Which addresses belong to the public internet, and which reach this machine or its neighbours. */
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

const GLOBAL_IPV6 = ipaddr.IPv6.parse("2000::");

/** The one form of an address, an IPv4 address in IPv6 clothes as IPv4; undefined: it is none. */
export function plainAddress(text: string): string | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text).toString();
}

/** Globally routable unicast. What is not known to be that is not. */
export function isPublic(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  // Unicast is also what the package calls every IPv6 address it knows nothing of.
  return address.kind() === "ipv4" || address.match(GLOBAL_IPV6, 3);
}

/** Whether a person can mean one machine by it. */
export function isOneMachine(text: string): boolean {
  const range = isIP(text) === 0 ? "unspecified" : ipaddr.process(text).range();
  return range !== "unspecified" && range !== "broadcast" && range !== "multicast";
}

/** Addresses of this machine: a public one of them still leads to services that are nobody else's business. */
export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
