/** Reads what a cell says: at most one `soon`, the answer, and the pack after it. */
import type { Readable, Writable } from "node:stream";

export interface CellAnswer {
  readonly word: string;
  readonly fields: readonly string[];
}

/** Whoever takes a pack; it is opened as soon as one may come, and ended when that has ended. */
export type OpenPack = (() => Writable) | undefined;

const MOST_ANSWER = 256 << 10;

/** null: the script ended without an answer. The end of a pack is told by the pack itself, before the script ends. */
export function readAnswer(stream: Readable, open: OpenPack): Promise<CellAnswer | null> {
  return new Promise((resolve) => {
    const none = (): void => resolve(null);
    // Also when the stream breaks off.
    pump(stream, open, resolve).then(none, none);
  });
}

async function pump(stream: Readable, open: OpenPack, answer: (answer: CellAnswer) => void): Promise<void> {
  let head: Buffer | null = Buffer.alloc(0);
  let pack: Writable | null = null;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (head === null) {
      await send(pack, chunk);
      continue;
    }
    const { answers, rest } = split(Buffer.concat([head, chunk]));
    const last = answers.at(-1);
    if (answers.some(({ word }) => word === "soon" || word === "pack")) pack = open?.() ?? null;
    head = rest;
    if (last === undefined || last.word === "soon") {
      if (rest.length > MOST_ANSWER) break;
      continue;
    }
    answer(last);
    head = null;
    await send(pack, rest);
  }
  pack?.end();
}

/** The answers at the head of these bytes, up to the first that is not `soon`. */
function split(bytes: Buffer): { readonly answers: readonly CellAnswer[]; readonly rest: Buffer } {
  const answers: CellAnswer[] = [];
  let rest = bytes;
  for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
    const [word = "", ...fields] = rest.toString("utf8", 0, end).trimEnd().split("\n");
    answers.push({ word, fields });
    rest = rest.subarray(end + 1);
    if (word !== "soon") break;
  }
  return { answers, rest };
}

async function send(pack: Writable | null, bytes: Buffer): Promise<void> {
  if (pack === null || bytes.length === 0 || pack.destroyed || pack.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      pack.off("drain", go).off("close", go);
      resolve();
    };
    pack.on("drain", go).on("close", go);
  });
}
