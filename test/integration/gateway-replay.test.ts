/** Traffic that was recorded is answered again without a provider; what was not is a hard error. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPlayer } from "../../src/gateway/record/player.ts";
import type { RecordedCall } from "../../src/gateway/record/recorded-call.ts";
import { createRecorder } from "../../src/gateway/record/recorder.ts";
import { createRecordFolder, readRecord } from "../../src/runtime/models/record-folder.ts";
import { ask, KEY, type Standing, standingGateway } from "../support/gateway/fixture.ts";
import { fakeProvider, json, stream } from "../support/gateway/upstream.ts";
import { tempDir } from "../support/temp-dir.ts";

const STREAM = `data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":20,"output_tokens":1}}}\n\n${"data: {}\n\n".repeat(3)}data: {"type":"message_delta","usage":{"output_tokens":15}}\n\n`;
const ask1 = (standing: Standing, text: string, more: object = {}): ReturnType<typeof ask> =>
  ask(standing, "/v1/messages", { model: "m", max_tokens: 9, messages: [{ role: "user", content: text }], ...more });

async function recorded(mostBytes = 1e6): Promise<{ standing: Standing; calls: RecordedCall[]; asked: () => number }> {
  let count = 0;
  const provider = await fakeProvider((asked, response, request) => {
    count += 1;
    const answer = asked.body.includes("stream") ? stream([STREAM]) : json({ model: "m", text: `${count}`, key: KEY });
    void answer(asked, response, request);
  });
  const calls: RecordedCall[] = [];
  const traffic = createRecorder({
    redact: (text) => text.replaceAll(KEY, "•"),
    mostBytes,
    write: (call) => calls.push(call),
  });
  const standing = await standingGateway({ upstream: provider.url, grant: { traffic } });
  return { standing, calls, asked: () => provider.asked.length };
}

const replaying = (calls: readonly RecordedCall[]): Promise<Standing> =>
  standingGateway({ upstream: "http://127.0.0.1:9", keys: new Map(), grant: { traffic: createPlayer(calls) } });

describe("a record", () => {
  it("answers the same question again, in the same order, without a provider, a key or money", async () => {
    const { standing, calls, asked } = await recorded();
    const first = [
      await ask1(standing, "a"),
      await ask1(standing, "a"),
      await ask1(standing, "stream", { stream: true }),
    ];
    expect(asked()).toBe(3);
    const replay = await replaying(JSON.parse(JSON.stringify(calls)));
    const again = [await ask1(replay, "a"), await ask1(replay, "a"), await ask1(replay, "stream", { stream: true })];
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text.replaceAll(KEY, "•")));
    expect(replay.door.use()).toMatchObject({ calls: 3, missed: 0 });
    expect(replay.calls.at(-1)).toMatchObject({ charged: { tokens: 35 } });
    const [row] = await replay.ledger.standing([{ scope: "run", name: "r_test/fix/1/1" }], 0);
    expect(row).toBeUndefined();
  });

  it("holds no key", async () => {
    const { standing, calls } = await recorded();
    await ask1(standing, `my key is ${KEY}`);
    expect(JSON.stringify(calls)).not.toContain(KEY);
    expect(calls).toMatchObject([{ version: 1, order: 1, provider: "anthropic", model: "m", status: 200 }]);
  });

  it("does not care who asks, nor in which order members stand", async () => {
    const { standing, calls } = await recorded();
    await ask1(standing, "a", { metadata: { user_id: "one" } });
    const replay = await replaying(calls);
    const body = {
      messages: [{ content: "a", role: "user" }],
      metadata: { user_id: "two" },
      max_tokens: 9,
      model: "m",
    };
    expect((await ask(replay, "/v1/messages?beta=true", body)).status).toBe(200);
  });

  it("answers Codex in another life: ids of items, keys and the clock differ, and the conversation is the same", async () => {
    const { standing, calls, asked } = await recorded();
    const codex = (life: string, question = "Fix it.") => ({
      ...{ model: "m", max_output_tokens: 9, prompt_cache_key: life, client_metadata: { session_id: life } },
      input: [
        { type: "message", id: `msg_${life}`, role: "user", content: [{ type: "input_text", text: question }] },
        { type: "function_call", id: `fc_${life}`, call_id: "call_1", name: "exec_command", arguments: "{}" },
        {
          type: "function_call_output",
          call_id: "call_1",
          output: `Chunk ID: ab${life.length}\nWall time: 0.2 seconds\nok`,
        },
      ],
    });
    expect((await ask(standing, "/v1/responses", codex("one"))).status).toBe(200);
    const replay = await replaying(calls);
    expect((await ask(replay, "/v1/responses", codex("another"))).status).toBe(200);
    expect((await ask(replay, "/v1/responses", codex("another", "Break it."))).status).toBe(599);
    expect([replay.door.use().missed, asked()]).toEqual([1, 1]);
  });

  it.each([
    ["asks something else", "b", {}],
    ["asks another model", "a", { model: "n" }],
    ["asks with another limit", "a", { max_tokens: 10 }],
  ])("has no answer for who %s: nothing is guessed, and nobody tries again", async (_name, text, more) => {
    const { standing, calls } = await recorded();
    await ask1(standing, "a");
    const replay = await replaying(calls);
    const answer = await ask1(replay, text, more);
    expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([599, "false"]);
    expect(answer.text).toContain("GATEWAY_REPLAY_MISSED");
    expect(replay.door.use()).toMatchObject({ missed: 1 });
  });

  it("gives each answer once", async () => {
    const { standing, calls } = await recorded();
    await ask1(standing, "a");
    const replay = await replaying(calls);
    expect([(await ask1(replay, "a")).status, (await ask1(replay, "a")).status]).toEqual([200, 599]);
  });

  it("cannot replay what was too large to keep", async () => {
    const { standing, calls } = await recorded(20);
    await ask1(standing, "a");
    expect(calls).toMatchObject([{ request: null, response: null }]);
    expect((await ask1(await replaying(calls), "a")).status).toBe(599);
  });
});

describe("a folder of records", () => {
  it("is written call by call and read again", async () => {
    const folder = join(tempDir(), "traffic");
    const write = await createRecordFolder(folder);
    const call: RecordedCall = {
      ...{ version: 1, order: 1, digest: "d", provider: "p", model: "m", request: null, status: 200, headers: {} },
      response: "x",
    };
    write(call);
    write({ ...call, order: 2 });
    expect(readdirSync(folder)).toEqual(["call-000001.json", "call-000002.json"]);
    expect(readFileSync(join(folder, "call-000001.json"), "utf8")).toContain('"digest": "d"');
    expect(await readRecord(folder)).toEqual([call, { ...call, order: 2 }]);
    await expect(createRecordFolder(folder)).rejects.toMatchObject({ code: "GATEWAY_RECORD_UNFIT" });
    await expect(readRecord(join(folder, "none"))).rejects.toMatchObject({ code: "GATEWAY_RECORD_UNFIT" });
  });
});
