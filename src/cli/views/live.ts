/**
 * Live: a few lines at the bottom of a terminal that are redrawn in place, at most ten times a second. Lines that stay
 * are printed above them. After `close` nothing of it is left on the screen.
 */
import { fitText, textWidth } from "./text/text-width.ts";

export interface Live {
  /** Prints a line that stays, with the next redraw. */
  print(line: string): void;
  close(): void;
}

/** A line of the live part: plain text, cut to the width, then painted. */
export interface LiveLine {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface LiveOptions {
  write(text: string): void;
  columns(): number;
  /** Called for each redraw: the lines as they are now. */
  lines(): readonly LiveLine[];
}

const REDRAW_MS = 100;
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_BELOW = "\u001b[0J";

export function createLive(options: LiveOptions): Live {
  /** Widths of the lines on the screen: a narrower terminal folds them, so rows are counted when they are cleared. */
  let drawn: readonly number[] = [];
  let shown = "";
  let pending: string[] = [];
  let closed = false;

  const clear = (): string => {
    const columns = options.columns();
    const rows = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    drawn = [];
    return rows === 0 ? "" : `\u001b[${rows}A\r${CLEAR_BELOW}`;
  };

  const draw = (): void => {
    const above = pending.map((line) => `${line}\n`).join("");
    pending = [];
    const room = options.columns() - 1;
    const lines = options.lines().map((line) => ({ text: fitText(line.text, room), paint: line.paint }));
    const next = lines.map((line) => `${line.paint === undefined ? line.text : line.paint(line.text)}\n`).join("");
    if (above === "" && next === shown) return;
    const start = clear();
    drawn = lines.map((line) => textWidth(line.text));
    shown = next;
    options.write(`${start}${above}${next}`);
  };

  options.write(HIDE_CURSOR);
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();

  return {
    print: (line) => {
      if (closed) options.write(`${line}\n`);
      else pending.push(line);
    },
    close: () => {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      options.write(`${clear()}${pending.map((line) => `${line}\n`).join("")}${SHOW_CURSOR}`);
    },
  };
}
