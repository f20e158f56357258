/** Output: where a command writes. Human text and JSON documents never mix on standard output. */
import pc from "picocolors";

/** `human`: text. `json`: one document. `jsonl`: a line for each event. */
export type Format = "human" | "json" | "jsonl";

export type Paint = ReturnType<typeof pc.createColors>;

export interface Output {
  readonly format: Format;
  readonly paint: Paint;
  /** Colours for standard error, which may be a terminal when standard output is not. */
  readonly errorPaint: Paint;
  /** Standard output is a terminal that a person watches and the format is human: a live view makes sense. */
  readonly live: boolean;
  /** Width of the terminal now; 100 when there is none. */
  columns(): number;
  /** Aborts when the reader of standard output has gone; what is written after that is dropped. */
  readonly gone: AbortSignal;
  /** Why what was written is not where it should be; null: it is, or its reader has left. */
  lost(): string | null;
  /** Bytes or text for standard output, as they are. */
  write(chunk: string | Uint8Array): void;
  /** A line for people on standard output; nothing in the JSON formats. */
  line(text?: string): void;
  /** A line for people on standard error, in every format. */
  note(text: string): void;
  /** The one document of `--json`, or a line of `--jsonl`. */
  document(value: unknown): void;
}

export interface OutputOptions {
  readonly format: Format;
  /** Colours are allowed; they are used only on a terminal. */
  readonly color: boolean;
}

/** The part of a Node stream that is used; tests give their own. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(chunk: string | Uint8Array): boolean;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** What a file says that takes no more. Anything else is a reader that has left. */
const NO_SPACE: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

export function createOutput(stdout: Sink, stderr: Sink, options: OutputOptions): Output {
  const gone = new AbortController();
  let lost: string | null = null;
  // A reader that left (`| head`) or a terminal that closed is no failure of the command.
  stdout.on("error", (error) => {
    if (NO_SPACE.has(error.code)) lost ??= error.message;
    gone.abort();
  });
  stderr.on("error", () => undefined);
  const write = (chunk: string | Uint8Array): void => {
    if (!gone.signal.aborted) stdout.write(chunk);
  };
  return {
    format: options.format,
    paint: pc.createColors(options.color && stdout.isTTY === true),
    errorPaint: pc.createColors(options.color && stderr.isTTY === true),
    live: options.format === "human" && stdout.isTTY === true,
    columns: () => Math.max(20, stdout.columns ?? 100),
    gone: gone.signal,
    lost: () => lost,
    write,
    line: (text = "") => {
      if (options.format === "human") write(`${text}\n`);
    },
    note: (text) => {
      stderr.write(`${text}\n`);
    },
    document: (value) => write(`${jsonText(value, options.format === "jsonl" ? 0 : 2)}\n`),
  };
}

/** What a terminal would obey, or a reader would not see: controls, directions, zero-width and tag characters, line separators. */
const UNSEEN = /[\u007f-\u009f\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\uFFF9-\uFFFB]/gu;

/** JSON that is also safe to look at: the same value, with every character escaped that a person would not see. */
export function jsonText(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeOf(character.charCodeAt(at))).join(""),
  );
}

/** Of one half of a character where it has two, as JSON wants it. */
function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
