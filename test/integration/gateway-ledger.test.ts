/** A ledger that cannot be written for a moment, or for good: nothing is sent that is not held, and nothing stays held that is over. */
import { expect, test } from "vitest";
import { createMemoryCallRecords } from "../../src/adapters/memory/models/call-records.ts";
import { pawlError } from "../../src/base/errors.ts";
import { JOURNAL_ERRORS } from "../../src/ports/errors/journal-errors.ts";
import type { CallRecords } from "../../src/ports/models/call-records.ts";
import type { Ledger } from "../../src/ports/store/ledger.ts";
import { ACCOUNT, AT, ask, type Standing, standingGateway } from "../support/gateway/fixture.ts";
import { type FakeProvider, fakeProvider, json, stream } from "../support/gateway/upstream.ts";

const BODY = { model: "m", max_tokens: 100 };
const ANSWER = json({ model: "m", usage: { input_tokens: 20, output_tokens: 15 } });

type Step = "reserve" | "settle" | "withdraw";

interface Trouble {
  /** How often each step still fails. */
  readonly left: Partial<Record<Step | "append", number>>;
}

function fails({ left }: Trouble, step: Step | "append"): boolean {
  const times = left[step] ?? 0;
  if (times > 0) left[step] = times - 1;
  return times > 0;
}

const busy = (): Promise<never> =>
  Promise.reject(pawlError(JOURNAL_ERRORS, "JOURNAL_BUSY", { file: "pawl.db", writer: null }));

function troubled(ledger: Ledger, trouble: Trouble): Ledger {
  return {
    ...ledger,
    reserve: (asking) => (fails(trouble, "reserve") ? busy() : ledger.reserve(asking)),
    settle: (...given) => (fails(trouble, "settle") ? busy() : ledger.settle(...given)),
    withdraw: (key) => (fails(trouble, "withdraw") ? busy() : ledger.withdraw(key)),
  };
}

async function setUp(left: Trouble["left"]): Promise<Standing & { readonly provider: FakeProvider; trouble: Trouble }> {
  const provider = await fakeProvider(ANSWER);
  const trouble: Trouble = { left };
  const kept = createMemoryCallRecords();
  const records: CallRecords = {
    ...kept,
    append: (key, record) => (fails(trouble, "append") ? busy() : kept.append(key, record)),
  };
  const ledger = (real: Ledger): Ledger => troubled(real, trouble);
  return { ...(await standingGateway({ upstream: provider.url, ledger, records })), provider, trouble };
}

async function booked({ ledger }: Standing): Promise<unknown> {
  const rows = await ledger.standing([ACCOUNT], AT);
  const open = (await ledger.open({ limit: 9 })).reservations.map(({ key }) => key);
  return { tokens: rows.find(({ unit }) => unit === "tokens")?.spent.run ?? 0, open };
}

test("a call that cannot be reserved is not sent and not counted, and the client may try again", async () => {
  const standing = await setUp({ reserve: 1 });
  const refused = await ask(standing, "/v1/messages", BODY);
  expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([503, "true"]);
  expect(refused.text).toContain("GATEWAY_LEDGER_FAILED");
  expect(standing.provider.asked).toEqual([]);
  expect(standing.door.use().calls).toBe(0);
  expect((await ask(standing, "/v1/messages", BODY)).status).toBe(200);
  expect(await booked(standing)).toEqual({ tokens: 35, open: [] });
});

test("a call whose beginning cannot be recorded is not sent, and what it held is given back", async () => {
  const standing = await setUp({ append: 1 });
  expect((await ask(standing, "/v1/messages", BODY)).status).toBe(503);
  expect(standing.provider.asked).toEqual([]);
  expect(await standing.door.close()).toMatchObject({ usage: { tokens: 0 }, calls: 0 });
  expect(await booked(standing)).toEqual({ tokens: 0, open: [] });
});

test("an answer that cannot be settled is settled before the next call, as it was", async () => {
  const standing = await setUp({ settle: 1 });
  expect((await ask(standing, "/v1/messages", BODY)).status).toBe(503);
  expect(await booked(standing)).toEqual({ tokens: 0, open: [`${ACCOUNT.name}/1`] });
  expect((await ask(standing, "/v1/messages", BODY)).status).toBe(200);
  expect(await booked(standing)).toEqual({ tokens: 70, open: [] });
});

test("a stream that cannot be settled breaks off, and is settled when its grant is closed", async () => {
  const standing = await setUp({ settle: 1 });
  const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  standing.provider.reply(
    stream([
      event({ type: "message_start", message: { model: "m", usage: { input_tokens: 20, output_tokens: 1 } } }),
      event({ type: "message_delta", usage: { output_tokens: 15 } }),
    ]),
  );
  await expect(ask(standing, "/v1/messages", { ...BODY, stream: true })).rejects.toThrow();
  expect((await standing.door.close()).usage.tokens).toBe(35);
  expect(await booked(standing)).toEqual({ tokens: 35, open: [] });
});

test("a grant whose calls cannot be settled is not closed as if they were, and its records stay", async () => {
  const standing = await setUp({ settle: 9 });
  expect((await ask(standing, "/v1/messages", BODY)).status).toBe(503);
  await expect(standing.door.close()).rejects.toMatchObject({ code: "JOURNAL_BUSY" });
  expect(await booked(standing)).toEqual({ tokens: 0, open: [`${ACCOUNT.name}/1`] });
  expect((await standing.records.read(ACCOUNT.name)).map(({ type }) => type)).toEqual(["begun", "ended"]);
});

test("what one call holds is not given back by another that comes at once", async () => {
  const standing = await setUp({ reserve: 1 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(standing, "/v1/messages", BODY)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 503]);
  await standing.door.close();
  expect(await booked(standing)).toEqual({ tokens: 7 * 35, open: [] });
});
