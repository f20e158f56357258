/** What a server prints, line by line. A line that is no message, or is nested beyond reason, is noise: it is dropped. Too much of it, or of questions to us, is the end. */

import { readJson } from "../../base/schema/read-json.ts";

export interface MessageLines {
  /** What is wrong with all that came so far; undefined: nothing. */
  push(chunk: Uint8Array): string | undefined;
}

export interface Message {
  readonly jsonrpc: "2.0";
  readonly [key: string]: unknown;
}

const MOST_LINE_BYTES = 8 << 20;
const MOST_NOISE_BYTES = 1 << 20;
/** We offer a server nothing to ask for; each question is answered, and answers that nobody reads pile up here. */
const MOST_QUESTION_BYTES = 1 << 20;
const LINE_END = 10;

export function createMessageLines(onMessage: (message: Message) => void): MessageLines {
  let parts: Uint8Array[] = [];
  let held = 0;
  let noise = 0;
  let questions = 0;

  const take = (line: string): void => {
    const message = parse(line);
    if (message === undefined) noise += line.length;
    else if (isQuestion(message)) questions += line.length;
    if (message !== undefined && questions <= MOST_QUESTION_BYTES) onMessage(message);
  };
  const add = (piece: Uint8Array): void => {
    if (piece.length > 0) parts.push(piece.slice());
    held += piece.length;
  };

  return {
    push(chunk) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
        add(chunk.subarray(from, end));
        if (held > MOST_LINE_BYTES) return "it printed a line of more than 8 MiB";
        const line = Buffer.concat(parts).toString("utf8");
        parts = [];
        held = 0;
        from = end + 1;
        take(line);
      }
      add(chunk.subarray(from));
      if (held > MOST_LINE_BYTES) return "it printed a line of more than 8 MiB";
      if (questions > MOST_QUESTION_BYTES) return "it asked more than 1 MiB of questions, and we offer it nothing";
      return noise > MOST_NOISE_BYTES ? "it printed more than 1 MiB that are no messages" : undefined;
    },
  };
}

function parse(line: string): Message | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  const value = readJson(line);
  return isMessage(value) ? value : undefined;
}

/** What wants an answer; a notification has no id. */
function isQuestion(message: Message): boolean {
  return "method" in message && "id" in message;
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}
