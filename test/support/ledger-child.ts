/**
 * A worker in a process of its own: `node ledger-child.ts <dir> <name> <first call> <calls> <seed> <cap>`. It makes its calls one after the other on
 * one cap and says, before each step that counts, what it is about to do; what it spends outside is what it has said.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { isPawlError } from "../../src/base/errors.ts";
import { FLEET } from "../../src/limits/ledger/cap.ts";
import { chance } from "../simulation/random.ts";

const say = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const [dir = "", name = "", first = "1", calls = "1", seed = "1", amount = "1"] = process.argv.slice(2);
const dice = chance(Number(seed));
const clock = createSystemClock();
const store = await patient(() => openSqliteStore({ dir, clock }));
const { ledger } = store;
const cap = { account: FLEET, unit: "tokens", window: "run", amount: Number(amount), source: "a test" } as const;

/** 32 processes on two cores may keep the file from each other for longer than one waits. Nothing was stored then, so it is asked again. */
async function patient<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPawlError(error) || error.code !== "JOURNAL_BUSY") throw error;
    }
  }
}

// What the process before this one has held may have been spent.
for (const { key } of (await ledger.open({ prefix: name, limit: 100 })).reservations)
  await patient(() => ledger.settle(key, "unknown", clock.now()));

for (let call = Number(first); call <= Number(calls); call += 1) {
  say({ begun: call });
  const tokens = 1 + dice.int(20);
  const key = `${name}/${call}`;
  const asked = { key, accounts: [FLEET], amounts: { tokens }, caps: [cap], priority: 0, wait: true, waiter: name };
  const ask = () => patient(() => ledger.reserve({ ...asked, at: clock.now() }));
  let answer = await ask();
  while (!answer.granted && answer.freesAt !== null) {
    await sleep(5 + dice.int(20));
    answer = await ask();
  }
  if (!answer.granted) {
    say({ refused: call });
    break;
  }
  await sleep(dice.int(8));
  const spent = dice.int(tokens + 1);
  say({ spent });
  await sleep(dice.int(8));
  const told = dice.hit(0.1) ? "unknown" : { tokens: spent };
  await patient(() => ledger.settle(key, told, clock.now()));
}
await store.close();
say({ ended: true });
