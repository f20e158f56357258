/** A grant that is closed, or a client that has gone: nothing goes to a provider any more, wherever the call was at that instant. */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Ledger } from "../../src/ports/store/ledger.ts";
import { ACCOUNT, AT, type Standing, standingGateway } from "../support/gateway/fixture.ts";
import { type FakeProvider, fakeProvider, json } from "../support/gateway/upstream.ts";

const TEXT = JSON.stringify({ model: "m", max_tokens: 100 });
const ANSWER = json({ model: "m", usage: { input_tokens: 20, output_tokens: 15 } });

interface Gate {
  /** Resolves when somebody stands before it. */
  readonly reached: Promise<void>;
  pass(): Promise<void>;
  open(): void;
}

function gate(): Gate {
  let arrive = (): void => undefined;
  let open = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const pass = (): Promise<void> => {
    arrive();
    return opened;
  };
  return { reached, pass, open };
}

interface Held extends Standing {
  readonly provider: FakeProvider;
  readonly reserving: Gate;
}

/** A gateway whose ledger takes its time. */
async function setUp(): Promise<Held> {
  const provider = await fakeProvider(ANSWER);
  const reserving = gate();
  const ledger = (real: Ledger): Ledger => ({
    ...real,
    reserve: (asking) => reserving.pass().then(() => real.reserve(asking)),
  });
  return { ...(await standingGateway({ upstream: provider.url, ledger })), provider, reserving };
}

function post({ url, token }: Standing, signal: AbortSignal | null = null): Promise<number | null> {
  const init = { method: "POST", headers: { "x-api-key": token }, body: TEXT, signal };
  return fetch(`${url}/v1/messages`, init).then(
    ({ status }) => status,
    () => null,
  );
}

async function cost({ ledger, provider, calls }: Held): Promise<unknown> {
  const rows = await ledger.standing([ACCOUNT], AT);
  const { reservations } = await ledger.open({ limit: 9 });
  const spent = rows.filter(({ spent: { run } }) => run > 0);
  return { asked: provider.asked.length, spent, held: reservations, charged: calls.map(({ charged }) => charged) };
}

const NOTHING = { tokens: 0, microUsd: 0 };

test("a call that was being reserved when its grant was closed is never sent, and costs nothing", async () => {
  const held = await setUp();
  const answer = post(held);
  await held.reserving.reached;
  const closed = held.door.close();
  held.reserving.open();
  expect((await closed).usage).toEqual(NOTHING);
  expect(await answer).toBe(502);
  expect(await cost(held)).toEqual({ asked: 0, spent: [], held: [], charged: [NOTHING] });
});

test("a call whose client left while it was being reserved is never sent, and costs nothing", async () => {
  const held = await setUp();
  const leave = new AbortController();
  const answer = post(held, leave.signal);
  await held.reserving.reached;
  leave.abort();
  expect(await answer).toBe(null);
  // The gateway hears of it a moment later.
  await sleep(50);
  held.reserving.open();
  await expect.poll(() => held.calls.length).toBe(1);
  expect(await cost(held)).toEqual({ asked: 0, spent: [], held: [], charged: [NOTHING] });
});

test("a request that was still coming when its grant was closed is not let in", async () => {
  const held = await setUp();
  held.reserving.open();
  const socket = connect(Number(new URL(held.url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk;
  });
  const head = ["POST /v1/messages HTTP/1.1", "host: localhost", "expect: 100-continue", `x-api-key: ${held.token}`];
  socket.write(`${[...head, `content-length: ${TEXT.length}`].join("\r\n")}\r\n\r\n${TEXT.slice(0, 5)}`);
  await expect.poll(() => heard).toContain("100 Continue");
  await held.door.close();
  socket.write(TEXT.slice(5));
  await expect.poll(() => heard).toContain("401 Unauthorized");
  expect(await cost(held)).toEqual({ asked: 0, spent: [], held: [], charged: [] });
});
