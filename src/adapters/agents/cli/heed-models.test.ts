import { expect, test } from "vitest";
import type { AgentBackend, AgentOutcome, AgentReport, AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { ModelDoor, ModelRefusal } from "../../../ports/models/model-access.ts";
import { heedModels } from "./heed-models.ts";

const LIMITED: ModelRefusal = { why: "rate_limited", error: "slow down", isAll: true };
const NEVER = new Promise<never>(() => undefined);

type Run = (signal: AbortSignal) => Promise<AgentOutcome>;

/** Works until it is told to end. */
const untilEnded: Run = (signal) =>
  new Promise((resolve) => {
    const end = (): void => resolve({ kind: "cancelled" });
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
const ends =
  (outcome: AgentOutcome): Run =>
  async () =>
    outcome;

interface Given {
  readonly last?: ModelRefusal | null;
  readonly hopeless?: Promise<ModelRefusal>;
  readonly callsModels?: boolean;
  readonly signal?: AbortSignal;
}

async function endOf(run: Run, given: Given = {}): Promise<AgentOutcome> {
  const { last = null, hopeless = NEVER, callsModels = true, signal = new AbortController().signal } = given;
  const backend = {
    capabilities: { callsModels },
    run: async (_task: AgentTask, _host: unknown, inner: AbortSignal): Promise<AgentReport> => ({
      ...{ outcome: await run(inner), text: "", session: "s", reported: null },
    }),
  } as unknown as AgentBackend;
  const door = { lastRefusal: () => last, hopeless } as ModelDoor;
  return (await heedModels(backend).run({ door } as AgentTask, {} as never, signal)).outcome;
}

const failed = (why: Extract<AgentOutcome, { kind: "failed" }>["why"], error: string): AgentOutcome => ({
  kind: "failed",
  why,
  error,
});

test("an agent that tries on without hope is ended, and why is what the gateway knows", async () => {
  expect(await endOf(untilEnded, { hopeless: Promise.resolve(LIMITED), last: LIMITED })).toEqual(
    failed("rate_limited", "slow down"),
  );
  const budget: ModelRefusal = { why: "budget", error: "no more", isAll: false };
  expect(await endOf(untilEnded, { hopeless: Promise.resolve(budget) })).toEqual({ kind: "budget", error: "no more" });
});

test("who is told to end has ended for that", async () => {
  const given = { hopeless: Promise.resolve(LIMITED), last: LIMITED, signal: AbortSignal.abort("kill") };
  expect(await endOf(untilEnded, given)).toEqual({ kind: "cancelled" });
});

test("an agent that can do without a model is not ended for the want of one", async () => {
  const leaves = new AbortController();
  const ended = endOf(untilEnded, {
    hopeless: Promise.resolve(LIMITED),
    last: LIMITED,
    callsModels: false,
    signal: leaves.signal,
  });
  await new Promise((resolve) => setImmediate(resolve));
  leaves.abort("stop");
  expect(await ended).toEqual({ kind: "cancelled" });
  expect(await endOf(ends({ kind: "completed" }), { last: LIMITED, callsModels: false })).toEqual({
    kind: "completed",
  });
});

test("what an agent says of its failure is put right by what its last call got", async () => {
  for (const why of ["lost", "provider", "rate_limited"] as const) {
    const last: ModelRefusal = { why: "overloaded", error: "busy", isAll: false };
    expect(await endOf(ends(failed(why, "so it says")), { last })).toEqual(failed("overloaded", "busy"));
  }
  const vague: ModelRefusal = { why: "provider", error: "502", isAll: true };
  expect(await endOf(ends(failed("lost", "gone")), { last: vague })).toEqual(failed("lost", "gone"));
  expect(await endOf(ends(failed("lost", "gone")))).toEqual(failed("lost", "gone"));
});

test("who got no answer at all has done nothing, whatever it says", async () => {
  expect(await endOf(ends({ kind: "completed" }), { last: LIMITED })).toEqual(failed("rate_limited", "slow down"));
  expect(await endOf(ends({ kind: "completed" }), { last: { ...LIMITED, isAll: false } })).toEqual({
    kind: "completed",
  });
});

test("every other end stands", async () => {
  const denied = { kind: "denied", error: "not you" } as const;
  expect(await endOf(ends(denied), { last: LIMITED })).toEqual(denied);
});

test("who has no door is left alone", async () => {
  const report = { outcome: { kind: "completed" }, text: "x", session: null, reported: null } as const;
  const backend = { capabilities: { callsModels: true }, run: async () => report } as unknown as AgentBackend;
  expect(await heedModels(backend).run({ door: null } as AgentTask, {} as never, NEVER as never)).toBe(report);
});
