/** Bytes as they come → lines of text. A line that is too long is left out as a whole: nobody meant to say it. */
export interface LineReader {
  take(chunk: Uint8Array): readonly string[];
  /** What came after the last line break. */
  rest(): string;
}

export function createLineReader(longest: number): LineReader {
  const decoder = new TextDecoder();
  let open: string | null = "";
  /** null: what has come of the line is too long already. */
  const add = (part: string): void => {
    if (open !== null) open = open.length + part.length > longest ? null : open + part;
  };
  return {
    take(chunk) {
      const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
      const lines: string[] = [];
      add(first);
      for (const part of others) {
        if (open !== null) lines.push(open);
        open = "";
        add(part);
      }
      return lines;
    },
    rest: () => open ?? "",
  };
}
