/** Bytes of a log → text for people. */
import { stripVTControlCharacters } from "node:util";
import { visible } from "../../base/visible.ts";

/** Colour codes are taken out, everything else that would steer a terminal is shown as an escape. */
export function logText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
  return visible(stripVTControlCharacters(text), { newlines: true });
}

/** The last lines that are not empty at the end. */
export function tailOfLog(bytes: Uint8Array, lines: number): string[] {
  const text = logText(bytes.subarray(Math.max(0, bytes.length - 16_384)));
  return text
    .trimEnd()
    .split("\n")
    .slice(-lines)
    .map((line) => (line.length > 400 ? `${line.slice(0, 399)}…` : line));
}
