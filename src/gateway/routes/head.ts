/**
 * The head of an answer: as much of it as tells whether it is one. A stream that says at once that it failed can still be
 * given up for another; once it has said a word, or what it took, it cannot.
 */
import { Readable } from "node:stream";
import type { JsonValue } from "../../base/json.ts";
import type { CallFailure } from "../../limits/routes/failure.ts";
import type { ModelCall, ProviderAnswer } from "../exchange.ts";
import { readWhole } from "../http/body.ts";
import { createSseCutter, eventObject } from "../http/sse.ts";
import { prefaces } from "./preface.ts";

/** Of an error that is read; what is longer tells nothing more. */
const MOST_BYTES = 256 * 1024;
const MOST_BODY = 16 * 1024;

export interface Head {
  /** null: an answer has begun. */
  readonly failure: CallFailure | null;
  /** With a body that has every byte in it. */
  readonly answer: ProviderAnswer;
}

/** Rejects when the body breaks off before anything is known. */
export async function readHead(call: ModelCall, answer: ProviderAnswer): Promise<Head> {
  if (answer.status >= 400) return readError(call, answer);
  const isStream = String(answer.headers["content-type"] ?? "").startsWith("text/event-stream");
  return isStream ? readStart(call, answer) : { failure: null, answer };
}

async function readError(call: ModelCall, answer: ProviderAnswer): Promise<Head> {
  const bytes = (await readWhole(answer.body, MOST_BYTES)) ?? Buffer.alloc(0);
  const error = call.wire.readAnswer(parsed(bytes)).error;
  const body = bytes.toString("utf8");
  const failure = {
    ...failureOf(call, answer, error?.type ?? null, error?.message ?? body.slice(0, 2000)),
    body: body.slice(0, MOST_BODY),
  };
  return { failure, answer: { ...answer, body: Readable.from([bytes]) } };
}

async function readStart(call: ModelCall, answer: ProviderAnswer): Promise<Head> {
  const cutter = createSseCutter(MOST_BYTES);
  const reader = call.wire.createStreamReader();
  const chunks: Buffer[] = [];
  for (let held = 0; held < MOST_BYTES; ) {
    const chunk = await nextChunk(answer.body);
    if (chunk === null) break;
    chunks.push(chunk);
    held += chunk.length;
    const events = cutter.push(chunk).map(({ bytes }) => eventObject(bytes));
    for (const event of events) if (event !== null) reader.read(event);
    if (events.some((event) => event !== null && !prefaces(call.wire.name, event))) break;
  }
  const { error, tokens } = reader.reading();
  if (error === null || tokens !== null) {
    return { failure: null, answer: { ...answer, body: withStart(answer.body, chunks) } };
  }
  answer.body.destroy();
  const body = Readable.from(chunks);
  return { failure: failureOf(call, answer, error.type, error.message), answer: { ...answer, body } };
}

function withStart(body: Readable, chunks: readonly Buffer[]): Readable {
  if (body.readableEnded) return Readable.from(chunks);
  if (chunks.length > 0) body.unshift(Buffer.concat(chunks));
  return body;
}

/** null: the body is at its end. */
function nextChunk(body: Readable): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      body.off("readable", look);
      body.off("end", ended);
      body.off("error", failed);
      body.off("close", ended);
      settle();
    };
    const ended = (): void => done(() => resolve(null));
    const failed = (error: Error): void => done(() => reject(error));
    const look = (): void => {
      const chunk = body.read() as Buffer | null;
      if (chunk !== null) done(() => resolve(chunk));
    };
    body.on("readable", look);
    body.once("end", ended);
    body.once("error", failed);
    body.once("close", ended);
    look();
  });
}

function failureOf(call: ModelCall, answer: ProviderAnswer, type: string | null, message: string): CallFailure {
  const named = Object.entries(answer.headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return { wire: call.wire.name, status: answer.status, headers: Object.fromEntries(named), type, message };
}

function parsed(bytes: Buffer): JsonValue {
  try {
    return JSON.parse(bytes.toString("utf8")) as JsonValue;
  } catch {
    return null;
  }
}
