import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { ModelCall, ProviderAnswer } from "../exchange.ts";
import { ANTHROPIC_WIRE } from "../wires/anthropic.ts";
import { CHAT_WIRE } from "../wires/chat.ts";
import { GEMINI_WIRE } from "../wires/gemini.ts";
import { RESPONSES_WIRE } from "../wires/responses.ts";
import type { Wire } from "../wires/wire.ts";
import { readHead } from "./head.ts";
import { prefaces } from "./preface.ts";

const callOn = (wire: Wire): ModelCall => ({ wire }) as ModelCall;

const answerOf = (status: number, type: string, chunks: readonly string[]): ProviderAnswer => ({
  status,
  headers: { "content-type": type, "retry-after": "3" },
  body: Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  ),
  candidate: { provider: "p", model: "m" },
});

const stream = (...events: readonly object[]): ProviderAnswer =>
  answerOf(
    200,
    "text/event-stream; charset=utf-8",
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
  );

async function textOf({ answer }: { readonly answer: ProviderAnswer }): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks).toString("utf8");
}

describe("readHead", () => {
  it("reads an error, and keeps it to be passed on", async () => {
    const body = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "busy" } });
    const head = await readHead(callOn(ANTHROPIC_WIRE), answerOf(529, "application/json", [body]));
    expect(head.failure).toEqual({
      wire: "anthropic",
      status: 529,
      headers: { "content-type": "application/json", "retry-after": "3" },
      type: "overloaded_error",
      message: "busy",
      body,
    });
    expect(await textOf(head)).toBe(body);
  });

  it("takes an error that is no JSON at its word", async () => {
    const head = await readHead(callOn(CHAT_WIRE), answerOf(503, "text/html", ["<html>down"]));
    expect(head.failure).toMatchObject({ status: 503, type: null, message: "<html>down" });
  });

  it("leaves an answer that is no stream alone", async () => {
    const head = await readHead(callOn(CHAT_WIRE), answerOf(200, "application/json", ["{}"]));
    expect([head.failure, await textOf(head)]).toEqual([null, "{}"]);
  });

  it("finds the error that a stream begins with", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "busy" } };
    const head = await readHead(callOn(ANTHROPIC_WIRE), stream({ type: "ping" }, error));
    expect(head.failure).toMatchObject({ status: 200, type: "overloaded_error" });
    expect(await textOf(head)).toContain("busy");
  });

  it("passes on every byte of a stream that has begun", async () => {
    const events = [
      { type: "message_start", message: { model: "m", usage: { input_tokens: 5, output_tokens: 1 } } },
      { type: "error", error: { type: "overloaded_error", message: "late" } },
    ];
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    for (const answer of [stream(...events), answerOf(200, "text/event-stream", [text])]) {
      const head = await readHead(callOn(ANTHROPIC_WIRE), answer);
      expect([head.failure, await textOf(head)]).toEqual([null, text]);
    }
  });

  it("passes on a stream that ends before it says anything", async () => {
    expect(await textOf(await readHead(callOn(GEMINI_WIRE), stream()))).toBe("");
    const head = await readHead(callOn(RESPONSES_WIRE), stream({ type: "response.created" }));
    expect([head.failure, await textOf(head)]).toEqual([null, 'data: {"type":"response.created"}\n\n']);
  });
});

describe("prefaces", () => {
  it.each([
    ["anthropic", { type: "ping" }, true],
    ["anthropic", { type: "message_start" }, false],
    ["responses", { type: "response.in_progress" }, true],
    ["responses", { type: "response.output_item.added" }, false],
    ["chat", { choices: [{ delta: { role: "assistant", content: "" } }] }, true],
    ["chat", { choices: [{ delta: { content: "a" } }] }, false],
    ["chat", { error: {} }, false],
    ["gemini", {}, false],
  ] as const)("%s %j: %s", (wire, event, expected) => {
    expect(prefaces(wire, event)).toBe(expected);
  });
});
