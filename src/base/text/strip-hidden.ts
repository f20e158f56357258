/**
 * Text without what cannot be seen in it: directions, joiners of no width, tags, selectors and other ignorable characters,
 * which can carry words that only a machine reads. Controls stay: they are no hiding place, and binary data is full of them.
 */

const HIDDEN = /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;
const IS_HIDDEN = new RegExp(HIDDEN.source, "u");

export interface Stripped<T> {
  readonly kept: T;
  readonly count: number;
}

/** Bytes in pieces of any size; a character may be cut anywhere between two of them. */
export interface Stripper {
  push(bytes: Uint8Array): Uint8Array;
  /** What is left of a character whose end never came. */
  end(): Uint8Array;
  count(): number;
}

export function stripHidden(text: string): Stripped<string> {
  let count = 0;
  const kept = text.replace(HIDDEN, () => {
    count += 1;
    return "";
  });
  return { kept, count };
}

/** What is no UTF-8 passes as it is. */
export function createStripper(): Stripper {
  let rest: Uint8Array = new Uint8Array(0);
  let count = 0;
  return {
    push(bytes) {
      const source = joined(rest, bytes);
      const kept = new Uint8Array(source.length);
      let length = 0;
      let at = 0;
      while (at < source.length) {
        const size = sizeAt(source, at);
        if (size === null) break;
        if (size > 1 && IS_HIDDEN.test(String.fromCodePoint(codeAt(source, at, size)))) {
          count += 1;
        } else {
          kept.set(source.subarray(at, at + size), length);
          length += size;
        }
        at += size;
      }
      rest = source.slice(at);
      return kept.subarray(0, length);
    },
    end() {
      const last = rest;
      rest = new Uint8Array(0);
      return last;
    },
    count: () => count,
  };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Bytes of the character that begins here; 1 for a byte that begins none; null: its end is not there yet. */
function sizeAt(bytes: Uint8Array, at: number): number | null {
  const tail = tailOf(bytes[at] as number);
  for (let step = 1; step <= tail; step += 1) {
    const next = bytes[at + step];
    if (next === undefined) return null;
    if ((next & 0xc0) !== 0x80) return 1;
  }
  return tail > 0 && isTooLong(bytes, at) ? 1 : tail + 1;
}

/** How many bytes follow the first byte of a character. */
function tailOf(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return 1;
  return first < 0xf0 ? 2 : 3;
}

/** Spellings with more bytes than needed, surrogates, and what is above the last character are no UTF-8. */
function isTooLong(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] as number;
  const second = bytes[at + 1] as number;
  if (first === 0xe0) return second < 0xa0;
  if (first === 0xed) return second > 0x9f;
  if (first === 0xf0) return second < 0x90;
  return first === 0xf4 && second > 0x8f;
}

function codeAt(bytes: Uint8Array, at: number, size: number): number {
  let code = (bytes[at] as number) & (0x7f >> size);
  for (let step = 1; step < size; step += 1) code = (code << 6) | ((bytes[at + step] as number) & 0x3f);
  return code;
}
