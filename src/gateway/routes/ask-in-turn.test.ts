import { describe, expect, it } from "vitest";
import { createVirtualClock, type VirtualClock } from "../../../test/support/virtual-clock.ts";
import { admit, type Breaker, CLOSED, park, report } from "../../limits/breaker/breaker.ts";
import { readTicket } from "../../limits/breaker/ticket.ts";
import type { Candidate } from "../../limits/routes/candidate.ts";
import type { CallFailure } from "../../limits/routes/failure.ts";
import { type Asked, type Attempt, askInTurn, type Turns } from "./ask-in-turn.ts";

const candidate = (model: string): Candidate => ({ provider: "anthropic", model, effort: null });

/** The law on a map. */
function breakers(state: Map<string, Breaker>): Turns["breakers"] {
  const load = (target: string): Breaker => state.get(target) ?? CLOSED;
  return {
    async admit(target, rules, at) {
      const decided = admit(load(target), { target, rules, at, host: "1" }, () => false);
      state.set(target, decided.breaker);
      return decided.admission;
    },
    async report(text, end, at) {
      const ticket = readTicket(text);
      if (ticket !== null) state.set(ticket.target, report(load(ticket.target), ticket, end, at));
    },
    async park(target, until, why, at) {
      state.set(target, park(load(target), until, why, at));
    },
  };
}

const busy = (status = 529): CallFailure => ({ wire: "anthropic", status, headers: {}, type: null, message: "" });
const failed = (failure: CallFailure, until: number | null = null): Attempt<string> => ({
  kind: "failed",
  failure,
  until,
  answer: `error ${failure.status}`,
});
const said = (answer: string): Attempt<string> => ({ kind: "answered", answer });

interface Life {
  readonly clock: VirtualClock;
  readonly state: Map<string, Breaker>;
  /** Who was asked, and when since the start. */
  readonly asked: string[];
  ask(
    models: string,
    script: Readonly<Record<string, readonly Attempt<string>[]>>,
    signal?: AbortSignal,
  ): Promise<Asked<string>>;
}

function life(change: Partial<Turns["settings"]["retry"]> = {}): Life {
  const clock = createVirtualClock(0);
  const state = new Map<string, Breaker>();
  const asked: string[] = [];
  const settings = {
    retry: { tries: 2, firstMs: 1000, maxMs: 10_000, ...change },
    bench: { failures: 2, coolDownMs: 30_000, longestMs: 300_000 },
  };
  return {
    clock,
    state,
    asked,
    async ask(models, script, signal = new AbortController().signal) {
      const left = new Map(Object.entries(script).map(([model, attempts]) => [model, [...attempts]]));
      const candidates = models.split(",").map(candidate);
      const working = askInTurn<string>(
        {
          route: { asked: models, candidates, passedOver: [] },
          async ask({ model }) {
            asked.push(`${model}@${clock.now()}`);
            return left.get(model)?.shift() ?? said(`${model} again`);
          },
          signal,
        },
        { breakers: breakers(state), clock, chance: () => 0.5, settings },
      );
      let isOver = false;
      const watched = working.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        if (!isOver) clock.advance();
      }
      return watched;
    },
  };
}

describe("askInTurn", () => {
  it("asks the first one, and nobody else when it answers", async () => {
    const { ask, asked } = life();
    const result = await ask("a,b", { a: [said("hello")] });
    expect(result).toMatchObject({ answer: "hello", by: candidate("a"), passedOver: [], until: null });
    expect(asked).toEqual(["a@0"]);
  });

  it("asks a busy one again after a while, then the next, and names who did not answer", async () => {
    const { ask, asked } = life();
    const result = await ask("a,b", { a: [failed(busy()), failed(busy(503))] });
    expect(asked).toEqual(["a@0", "a@500", "b@500"]);
    expect(result).toMatchObject({
      answer: "b again",
      by: candidate("b"),
      passedOver: [
        { model: "anthropic/a", why: "529" },
        { model: "anthropic/a", why: "503" },
      ],
    });
  });

  it("believes the last instant that a model named, and asks it before that for no other request", async () => {
    const { ask, asked, clock, state } = life();
    const bench = 30_000;
    const twice = [failed(busy(429), clock.now() + 8000), failed(busy(429), clock.now() + 8500 + 2 * bench)];
    expect(await ask("a", { a: twice })).toMatchObject({ answer: "error 429", until: 8500 + 2 * bench });
    expect(asked).toEqual(["a@0", "a@8500"]);
    expect(state.get("model:anthropic/a")?.open).toMatchObject({ until: 8500 + 2 * bench, parked: true });
  });

  it("names no instant when the last answer of the model named none", async () => {
    const { ask } = life();
    expect(await ask("a", { a: [failed(busy(429), 8000), failed(busy(429))] })).toMatchObject({ until: null });
  });

  it("passes a request that nobody can answer to nobody else", async () => {
    const { ask, asked } = life();
    const result = await ask("a,b", { a: [failed(busy(400))] });
    expect(result).toMatchObject({ answer: "error 400", by: candidate("a") });
    expect(asked).toEqual(["a@0"]);
  });

  it("goes on from a model that does not exist, without asking it twice", async () => {
    const { ask, asked } = life();
    const absent = { ...busy(404), message: "model: a" };
    expect(await ask("a,b", { a: [failed(absent)] })).toMatchObject({ by: candidate("b") });
    expect(asked).toEqual(["a@0", "b@0"]);
  });

  it("waits as long as it is asked to, and goes on when that is too long", async () => {
    const near = life();
    await near.ask("a,b", { a: [failed(busy(429), 3000)] });
    expect(near.asked).toEqual(["a@0", "a@3500"]);
    const far = life();
    expect(await far.ask("a,b", { a: [failed(busy(429), 60_000)] })).toMatchObject({
      by: candidate("b"),
      until: 60_000,
    });
    expect(far.asked).toEqual(["a@0", "b@0"]);
    await far.ask("a,b", {});
    expect(far.asked.at(-1)).toBe("b@0");
  });

  it("leaves a model alone that keeps failing, and gives it one trial afterwards", async () => {
    const { ask, asked, clock } = life();
    await ask("a,b", { a: [failed(busy()), failed(busy())] });
    const second = await ask("a,b", {});
    expect(second.passedOver).toEqual([{ model: "anthropic/a", why: "left alone: it failed 2 times in a row" }]);
    clock.after(40_000, () => undefined);
    clock.advance();
    const third = await ask("a,b", {});
    expect(third.by).toEqual(candidate("a"));
    await third.finish("success");
    expect(asked.map((line) => line.split("@")[0])).toEqual(["a", "a", "b", "b", "a"]);
  });

  it("tells the breaker when an answer broke off", async () => {
    const { ask, state } = life();
    for (let broken = 0; broken < 2; broken += 1) await (await ask("a", {})).finish("failure");
    expect(state.get("model:anthropic/a")?.open).not.toBeNull();
  });

  it("waits for the only one when that is soon, and says when it is not", async () => {
    const { ask, asked } = life({ maxMs: 20_000 });
    await ask("a", { a: [failed(busy()), failed(busy())] });
    await ask("a", {});
    expect(asked).toEqual(["a@0", "a@500", "a@30500"]);
    const far = life();
    await far.ask("a", { a: [failed(busy(429), 3_600_000)] });
    expect(await far.ask("a", {})).toMatchObject({ answer: null, by: null, until: 3_600_000 });
  });

  it("gives the last error when all fail", async () => {
    const { ask } = life({ tries: 1 });
    const result = await ask("a,b", { a: [failed(busy(500))], b: [failed(busy(502))] });
    expect(result).toMatchObject({ answer: "error 502", by: candidate("b") });
    expect(result.passedOver).toHaveLength(2);
    await result.finish("success");
  });

  it("stops when the client has gone, and blames nobody", async () => {
    const { ask, state } = life();
    const left = new AbortController();
    const ended: Attempt<string> = { kind: "ended", end: "ignored", answer: "gone" };
    expect(await ask("a,b", { a: [ended] }, left.signal)).toMatchObject({ answer: "gone", by: candidate("a") });
    expect(state.get("model:anthropic/a")?.failures).toBe(0);
    left.abort();
    const aborted = life();
    await aborted.ask("a", { a: [failed(busy())] }, left.signal);
    expect(aborted.asked).toEqual(["a@0"]);
  });
});
