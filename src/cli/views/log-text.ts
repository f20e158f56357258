/** Bytes of a log → text for people. */
import { stripVTControlCharacters } from "node:util";
import { visible, visibleLine } from "../../base/visible.ts";

/** Colour codes are taken out, everything else that would steer a terminal is shown as an escape. */
export function logText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
  return visible(stripVTControlCharacters(text), { newlines: true });
}

/** The last lines, as they stood when a program that redraws its line with \r was done with them. */
export function tailOfLog(bytes: Uint8Array, lines: number): string[] {
  const text = new TextDecoder().decode(bytes.subarray(Math.max(0, bytes.length - 16_384)));
  return stripVTControlCharacters(text)
    .trimEnd()
    .split("\n")
    .slice(-lines)
    .map((line) => visibleLine(line.trimEnd().split("\r").at(-1) ?? "", 400));
}
