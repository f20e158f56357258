import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../test/support/run-plan.ts";
import type { RunId } from "../base/ids.ts";
import { compilePolicy } from "../policy/compile.ts";
import { decide } from "../policy/decide.ts";
import type { PolicyGate } from "../ports/policy-gate.ts";
import type { RunEvent } from "../run/events.ts";
import { replay, restore } from "./replay.ts";

const PLAN = planFrom(`
limits: { rounds: 3 }
stages:
  - { id: a, command: [ok], effect: idempotent, max_attempts: 2 }
  - { id: g, gate: { command: [ok] }, on_failure: a }
`);

async function recorded(): Promise<readonly RunEvent[]> {
  const host = createTestHost(PLAN, {
    stages: { a: [{ cause: "exit", exit: 1 }, { cause: "ok" }], g: [{ cause: "ok" }] },
  });
  await host.start();
  return host.events();
}

const gate: PolicyGate = { decide: (rules, request) => decide(compilePolicy(rules), request) };
const policy = { policy: gate, redact: (event: RunEvent) => event };

describe("replay", () => {
  it("decides the same run again from its journal alone", async () => {
    expect(replay(PLAN, await recorded(), policy)).toBeNull();
  });

  it("names the first event that the laws would not have written", async () => {
    const events = [...(await recorded())];
    const at = events.findIndex((event) => event.type === "stage.started");
    events[at] = { ...(events[at] as RunEvent), rule: "forged" } as RunEvent;
    expect(replay(PLAN, events, policy)).toMatchObject({ seq: at + 1, found: expect.stringContaining("forged") });
  });

  it("names an event that came too early, too often or not at all", async () => {
    const events = await recorded();
    const started = events.find((event) => event.type === "stage.started") as RunEvent;
    expect(replay(PLAN, [...events.slice(0, 3), started], policy)).toMatchObject({ seq: 4, expected: "wait" });
    expect(replay(PLAN, [...events, started], policy)).toMatchObject({ seq: events.length + 1, expected: "rest" });
    expect(replay(PLAN, [], policy)).toEqual({ seq: 1, expected: "run.created", found: "nothing" });
    expect(replay(PLAN, events.slice(1), policy)).toMatchObject({ seq: 1, found: "run.started" });
  });

  it("masks what it decides as it was masked when it was stored", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [curl, hunter2hunter2] }\n");
    const redact = (event: RunEvent): RunEvent =>
      JSON.parse(JSON.stringify(event).replaceAll("hunter2hunter2", "[redacted]"));
    const host = createTestHost(plan, { ports: { redact } });
    await host.start();
    expect(replay(plan, await host.events(), { ...policy, redact })).toBeNull();
    expect(replay(plan, await host.events(), policy)).not.toBeNull();
  });

  it("takes a cancel as given", async () => {
    const host = createTestHost(PLAN, { stages: { a: ["hang"] } });
    const ended = host.start();
    await host.busy();
    host.inbox.ask({ kind: "cancel", by: "ann" });
    await ended;
    expect(replay(PLAN, await host.events(), policy)).toBeNull();
  });
});

describe("restore", () => {
  it("refuses a journal that is empty or does not begin at the beginning", async () => {
    const events = await recorded();
    expect(() => restore("r_x" as RunId, PLAN, [])).toThrow("the journal of r_x is empty");
    expect(() => restore("r_x" as RunId, PLAN, events.slice(1))).toThrow("the journal of r_x begins with run.started");
  });
});
