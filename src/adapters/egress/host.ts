/**
 * Reads the name of a host. One host has one spelling: what two programs could read as two different hosts is refused.
 */
import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

export type Host =
  | { readonly kind: "name"; readonly text: string }
  /** `text` without brackets. */
  | { readonly kind: "address"; readonly text: string };

export type HostReading = { readonly ok: true; readonly host: Host } | { readonly ok: false; readonly problem: string };

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Parsers of URLs take a name that ends like this for an IPv4 address, in one of many spellings. */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/;
const PORT = /^[1-9][0-9]{0,4}$/;
const MAX_NAME = 253;

/** Letters of ASCII only: `toLowerCase` also turns other characters into ASCII letters. */
export function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** `text` in small letters; an IPv6 address in brackets. */
export function readHost(text: string): HostReading {
  if (text.startsWith("[")) return readIpv6(text);
  const labels = text.split(".");
  if (NUMBER.test(labels.at(-1) ?? "")) {
    return isIPv4(text)
      ? { ok: true, host: { kind: "address", text } }
      : no("it is a number, and no address in its usual form");
  }
  if (text.length > MAX_NAME || !labels.every((label) => LABEL.test(label))) {
    return no("it is not a host name of small letters, digits, hyphens and dots");
  }
  return { ok: true, host: { kind: "name", text } };
}

function readIpv6(text: string): HostReading {
  const inside = text.slice(1, -1);
  if (!text.endsWith("]") || inside.includes("%") || !isIPv6(inside)) return no("it is not an address");
  const address = ipaddr.IPv6.parse(inside);
  if (address.isIPv4MappedAddress()) return no("it is an IPv4 address written as IPv6");
  if (address.toRFC5952String() !== inside) return no("it is an address, but not in its usual form");
  return { ok: true, host: { kind: "address", text: inside } };
}

/** undefined: no port there can be. */
export function readPort(text: string): number | undefined {
  const port = PORT.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** Cuts `host:port` at the last colon outside of brackets; `port` is null when there is none. */
export function splitPort(text: string): { readonly host: string; readonly port: string | null } {
  const colon = text.indexOf(":", text.startsWith("[") ? text.indexOf("]") + 1 : 0);
  return colon < 0 ? { host: text, port: null } : { host: text.slice(0, colon), port: text.slice(colon + 1) };
}

export function showHost(host: Host): string {
  return host.kind === "address" && host.text.includes(":") ? `[${host.text}]` : host.text;
}

function no(problem: string): HostReading {
  return { ok: false, problem };
}
