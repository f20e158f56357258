/** Chance without chance: the same name gives the same number, and names that differ give numbers that have nothing in common. */

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** A whole number from 0 on and below `below`; 0 where there is no choice. */
export function spread(name: string, below: number): number {
  return below <= 1 ? 0 : Math.floor((mixed(name) / 2 ** 32) * below);
}

/** FNV-1a, with the bits of its end mixed once more: names differ in their last letters. */
function mixed(name: string): number {
  let sum = OFFSET;
  for (let index = 0; index < name.length; index += 1) sum = Math.imul(sum ^ name.charCodeAt(index), PRIME);
  sum = Math.imul(sum ^ (sum >>> 16), 0x7feb352d);
  sum = Math.imul(sum ^ (sum >>> 15), 0x846ca68b);
  return (sum ^ (sum >>> 16)) >>> 0;
}
