/** An ExecutionPlan of openbotstack as a run: its calls are ruled on one by one, behind a real wall, and its log is the answer. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { commitFiles } from "../support/git-project.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";
import { PATIENCE_MS } from "../support/slowness.ts";

afterAll(removeFolders);

const READ = { name: "read_file", type: "tool", arguments: { path: "a.txt" } };
const planOf = (...steps: readonly object[]): string => JSON.stringify({ assistant_id: "me", steps });

async function compiled(text: string, files: Readonly<Record<string, string>> = {}) {
  const root = makeFolder();
  commitFiles(root, { "a.txt": "hello", "in/plan.json": text, ...files });
  const runtime = await openRuntime({ root });
  const { plan } = await runtime.compile("in/plan.json", {});
  return { runtime, plan };
}

async function ran(text: string, files: Readonly<Record<string, string>> = {}) {
  const { runtime, plan } = await compiled(text, files);
  try {
    if (!plan.ok) throw new Error(plan.problems.map(({ what }) => what).join("\n"));
    const { run, ended } = await runtime.start(plan.value, {});
    await ended;
    const events = (await runtime.read(run, 0, 1000)).map(({ event }) => event);
    const stage = events.find((event) => event.type === "stage.finished");
    const end = events.find((event) => event.type === "run.finished");
    const output = stage?.output as JsonObject | undefined;
    const records = (output?.["records"] ?? []) as unknown as readonly JsonObject[];
    return { stage, end, output, records };
  } finally {
    await runtime.close();
  }
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const { runtime, plan } = await compiled(text);
  await runtime.close();
  return plan.ok
    ? []
    : plan.problems.map(({ code, where }) => `${code} ${where?.file}:${where?.line}:${where?.column}`);
}

/** Whether a process somewhere on this machine was started with exactly these words. */
function isRunning(...words: readonly string[]): boolean {
  const commandOf = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return "";
    }
  };
  return readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && commandOf(pid) === `${words.join("\0")}\0`);
}

describe("an ExecutionPlan", () => {
  it("P1: that is broken as a text is told as a plan, at its place, and never as another format", async () => {
    const key = '{"assistant_id":"a","assistant_id":"b","steps":[]}';
    expect(await problemsOf(key)).toEqual(["BLUEPRINT_KEY_DUPLICATE in/plan.json:1:21"]);
    const proto = '{"assistant_id":"a","steps":[{"name":"read_file","type":"tool","arguments":{"__proto__":1}}]}';
    expect(await problemsOf(proto)).toEqual(["BLUEPRINT_KEY_FORBIDDEN in/plan.json:1:77"]);
    const comma = `${planOf(READ).slice(0, -2)},]}`;
    expect(await problemsOf(comma)).toEqual(["EXECUTION_PLAN_INVALID in/plan.json:1:1"]);
  });

  it("P5: of three steps has five records, in order, and is a success", async () => {
    const write = { name: "write_file", type: "tool", arguments: { path: "b.txt", content: "${x} {{first.text}}" } };
    const check = { name: "read_file", type: "tool", arguments: { path: "b.txt" } };
    const { output, records, end, stage } = await ran(planOf({ ...READ, step_id: "first" }, write, check));
    expect(stage).toMatchObject({ outcome: "success" });
    expect(output).toMatchObject({ outcome: "success", stop: "goal_achieved" });
    expect(records.map(({ kind }) => kind)).toEqual(["plan_start", "step", "step", "step", "plan_end"]);
    expect(records[1]).toMatchObject({
      ...{ assistant_id: "me", step_name: "read_file", step_type: "tool", status: "success" },
      duration_ms: expect.any(Number),
    });
    expect(JSON.stringify(records[3])).toContain("${x} hello");
    expect(end).toMatchObject({ status: "succeeded" });
  });

  it("P6: that calls what policy denies is rejected, and says so by code", async () => {
    const fetch = { name: "web_fetch", type: "tool", arguments: { url: "https://example.org/" } };
    const { output, records, end } = await ran(planOf(fetch));
    expect(output).toMatchObject({ outcome: "rejected", stop: "policy_denied" });
    expect(records.at(-1)).toMatchObject({ kind: "plan_end", status: "rejected" });
    expect(end).toMatchObject({ status: "failed" });
  });

  it("P6: whose step fails has failed, and the steps after it do not run", async () => {
    const { output, records } = await ran(planOf({ ...READ, arguments: { path: "none.txt" } }, READ));
    expect(output).toMatchObject({ outcome: "failed" });
    expect(records.filter(({ kind }) => kind === "step")).toHaveLength(1);
  });

  it("P1: is refused at its place when it is not sound, and nothing runs", async () => {
    expect(await problemsOf('{\n "assistant_id": "me",\n "steps": []\n}')).toEqual([
      "EXECUTION_PLAN_INVALID in/plan.json:3:11",
    ]);
    const unknown = '{"assistant_id":"me",\n"steps":[{"type":"tool",\n"name":"rm_rf"}]}';
    expect(await problemsOf(unknown)).toEqual(["EXECUTION_PLAN_INVALID in/plan.json:3:8"]);
    expect(await problemsOf('{"steps":[],\n"steps":[]}')).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(await problemsOf(planOf(...Array.from({ length: 11 }, () => READ)))).toHaveLength(1);
    expect(await problemsOf(`{"steps": ${"[".repeat(100)}`)).toHaveLength(1);
  });

  it("P6: that a person cancels is canceled, and its log is kept to its end", async () => {
    const seconds = "61.74319";
    const sleep = { name: "run_command", type: "tool", arguments: { argv: ["sleep", seconds] } };
    const { runtime, plan } = await compiled(planOf(READ, sleep, READ));
    try {
      if (!plan.ok) throw new Error(plan.problems.map(({ what }) => what).join("\n"));
      const { run, ended } = await runtime.start(plan.value, {});
      await vi.waitUntil(() => isRunning("sleep", seconds), { timeout: PATIENCE_MS, interval: 100 });
      await runtime.cancel(run, "me");
      await ended;
      const events = (await runtime.read(run, 0, 1000)).map(({ event }) => event);
      const stage = events.find((event) => event.type === "stage.finished");
      const output = stage?.output as JsonObject;
      expect([stage?.outcome, events.at(-1)]).toMatchObject(["failure", { status: "cancelled" }]);
      expect(output).toMatchObject({ outcome: "canceled", stop: "context_canceled" });
      const records = output["records"] as unknown as readonly JsonObject[];
      expect(records.map(({ kind, status }) => [kind, status])).toEqual([
        ["plan_start", undefined],
        ["step", "success"],
        ["step", "canceled"],
        ["plan_end", "canceled"],
      ]);
    } finally {
      await runtime.close();
    }
  });

  it("S8: with a critical step waits for a person before any of it", async () => {
    const { stage, end } = await ran(planOf({ ...READ, risk_level: "critical" }));
    expect([stage, end]).toEqual([undefined, undefined]);
  });
});
