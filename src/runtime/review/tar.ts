/** A tar archive in memory: the same files give the same bytes, whoever writes them and when. */

export interface TarFile {
  /** At most 100 bytes. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const BLOCK = 512;
const MOST_NAME = 100;

export function tarOf(files: readonly TarFile[]): Uint8Array {
  const parts = files.flatMap(({ name, bytes }) => [headerOf(name, bytes.length), bytes, padding(bytes.length)]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** POSIX ustar: an ordinary file of nobody, from the beginning of time. */
function headerOf(name: string, size: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > MOST_NAME) throw new Error(`${name} is too long for an archive`);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  // The sum is taken with its own place blank.
  header.fill(" ", 148, 156);
  header.write("0", 156);
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

function padding(size: number): Uint8Array {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
