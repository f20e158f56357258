/** Which addresses belong to the public internet, and which reach this machine or its neighbours. What cannot be read is not public. */

/** In groups of 16 bits, two of IPv4 and eight of IPv6; an IPv4 address in IPv6 clothes is IPv4. */
type Address = readonly number[];

const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-fA-F]{1,4}$/;
const MAPPED: Address = [0, 0, 0, 0, 0, 0xffff];

/** As the registries of special-purpose addresses name them, and the one public address behind which a cloud keeps its secrets. */
const NOT_PUBLIC_4 = ranges(
  ..."0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16".split(" "),
  ..."192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.175.48.0/24".split(" "),
  ..."198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32".split(" "),
);
const GLOBAL_6 = ranges("2000::/3");
const NOT_PUBLIC_6 = ranges(..."2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20".split(" "));
const NOT_ONE_MACHINE = ranges("0.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32", "::/128", "ff00::/8");

/** The one form of an address; undefined: it is none. */
export function plainAddress(text: string): string | undefined {
  const address = readAddress(text);
  if (address === undefined) return undefined;
  if (address.length === 8) return address.map((group) => group.toString(16)).join(":");
  return address.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

/** Globally routable unicast. What is not known to be that is not. */
export function isPublic(text: string): boolean {
  const address = readAddress(text);
  if (address === undefined) return false;
  if (address.length === 2) return !isIn(address, NOT_PUBLIC_4);
  return isIn(address, GLOBAL_6) && !isIn(address, NOT_PUBLIC_6);
}

/** Whether a person can mean one machine by it. */
export function isOneMachine(text: string): boolean {
  const address = readAddress(text);
  return address !== undefined && !isIn(address, NOT_ONE_MACHINE);
}

/** Only the usual spellings: four decimal numbers, or IPv6 without a zone. */
function readAddress(text: string): Address | undefined {
  if (!text.includes(":")) return readFour(text);
  const halves = text.split("::");
  const [head = "", tail] = halves;
  const before = readGroups(head, tail === undefined);
  const after = readGroups(tail ?? "", true);
  if (halves.length > 2 || before === undefined || after === undefined) return undefined;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const address = [...before, ...new Array<number>(missing).fill(0), ...after];
  return startsWith(address, MAPPED, 96) ? address.slice(6) : address;
}

/** `isEnd`: it may end with an IPv4 address. */
function readGroups(text: string, isEnd: boolean): Address | undefined {
  if (text === "") return [];
  const words = text.split(":");
  const last = words.at(-1) as string;
  const four = isEnd && last.includes(".") ? readFour(last) : undefined;
  const hex = four === undefined ? words : words.slice(0, -1);
  if (!hex.every((word) => GROUP.test(word))) return undefined;
  return [...hex.map((word) => Number.parseInt(word, 16)), ...(four ?? [])];
}

function readFour(text: string): Address | undefined {
  const octets = text.split(".");
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255)) return undefined;
  const [a, b, c, d] = octets.map(Number) as [number, number, number, number];
  return [a * 256 + b, c * 256 + d];
}

interface Range {
  readonly from: Address;
  readonly bits: number;
}

function ranges(...texts: readonly string[]): readonly Range[] {
  return texts.map((text) => {
    const [from = "", bits] = text.split("/");
    return { from: readAddress(from) as Address, bits: Number(bits) };
  });
}

function isIn(address: Address, list: readonly Range[]): boolean {
  return list.some(({ from, bits }) => from.length === address.length && startsWith(address, from, bits));
}

function startsWith(address: Address, from: Address, bits: number): boolean {
  for (let at = 0; at * 16 < bits; at += 1) {
    const loose = Math.max(0, 16 - (bits - at * 16));
    if ((address[at] as number) >> loose !== (from[at] as number) >> loose) return false;
  }
  return true;
}
