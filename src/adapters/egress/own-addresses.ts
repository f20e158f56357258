/** Addresses of this machine: a public one of them still leads to services that are nobody else's business. */
import { networkInterfaces } from "node:os";

export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
