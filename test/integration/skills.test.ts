/** Skills that are programs: behind the wall, within limits, with five statuses and errors that are known by their code. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { isPawlError } from "../../src/base/errors.ts";
import { createExecutionContext } from "../../src/harness/plans/execution-context.ts";
import type { ExecutionRecord } from "../../src/harness/plans/execution-log.ts";
import { BREAKER_RULES } from "../../src/limits/breaker/rules.ts";
import { processesWith, removeFolders } from "../support/process-fixture.ts";
import { CLOCK, shellSkill, skillBench } from "../support/skills/skill-bench.ts";

const NEVER = new AbortController().signal;
const GREET = shellSkill("greet", 'read line; printf \'{"heard":%s}\' "$line"', {
  input_schema: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
  output_schema: { type: "object", required: ["heard"] },
});

afterEach(removeFolders);

describe("a skill", () => {
  test("P8: is loaded, can be executed, reads its input and gives its output", async () => {
    const { skills } = await skillBench([GREET]);
    expect([skills.canExecute("greet"), skills.canExecute("other")]).toEqual([true, false]);
    const result = await skills.execute({ skill: "greet", input: { name: "ada" } }, NEVER);
    expect(result).toMatchObject({ status: "success", output: { heard: { name: "ada" } }, error: null });
    expect(result.durationMs).toBeGreaterThan(0);
  });

  test("P8: that has instructions only is not loaded", async () => {
    const { skills } = await skillBench([]);
    await expect(skills.load({ ...GREET, callable: null })).rejects.toSatisfy(
      (error) => isPawlError(error) && error.code === "SKILL_NOT_LOADED",
    );
  });

  test("P8: runs as it was when it was read, whatever becomes of its folder", async () => {
    const { root, skills } = await skillBench([
      shellSkill("own", 'cat "$PAWL_SKILL/words.txt"', {}, { "words.txt": '"mine"' }),
    ]);
    const [digest] = readdirSync(join(root, ".pawl", "skills"));
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(join(root, ".pawl", "skills", String(digest), "words.txt"), "utf8")).toBe('"mine"');
    expect((await skills.execute({ skill: "own", input: null }, NEVER)).output).toBe("mine");
  });

  test("P8: that needs another one can be executed only with it", async () => {
    const needy = shellSkill("needy", "echo 1", { requires: ["greet"] });
    const { skills } = await skillBench([needy]);
    expect(skills.canExecute("needy")).toBe(false);
    expect(await skills.execute({ skill: "needy", input: {} }, NEVER)).toMatchObject({
      status: "rejected",
      error: { code: "SKILL_NOT_LOADED", message: "runtime: skill not loaded: greet" },
    });
    await skills.load(GREET);
    expect(skills.canExecute("needy")).toBe(true);
    // Each needs all before it: looked at on every way that leads to it, they would take for ever.
    const names = Array.from({ length: 40 }, (_, index) => `deep-${index}`);
    for (const [index, name] of names.entries())
      await skills.load(shellSkill(name, "echo 1", { requires: names.slice(0, index) }));
    expect(skills.canExecute("deep-39")).toBe(true);
  });

  test("P6: success, failed, timeout, canceled and rejected", async () => {
    const { skills } = await skillBench([
      shellSkill("good", "echo 1"),
      shellSkill("bad", "echo oops >&2; exit 3"),
      shellSkill("slow", "sleep 30", { timeout: "300ms" }),
    ]);
    const statusOf = async (skill: string, signal = NEVER): Promise<string> =>
      (await skills.execute({ skill, input: {} }, signal)).status;
    expect(await statusOf("good")).toBe("success");
    expect(await statusOf("bad")).toBe("failed");
    expect(await statusOf("slow")).toBe("timeout");
    expect(await statusOf("good", AbortSignal.abort())).toBe("canceled");
    expect(await statusOf("none")).toBe("rejected");
  });

  test("P7: each error has its code and begins as it always did", async () => {
    const { skills } = await skillBench(
      [
        shellSkill("slow", "sleep 30", { timeout: "300ms" }),
        shellSkill("greedy", "head -c 400m /dev/zero | tail >/dev/null; echo 1", { resources: { max_memory_mb: 32 } }),
        shellSkill("broken", "exit 1"),
        shellSkill("denied", "echo 1"),
      ],
      {
        breakerRules: { ...BREAKER_RULES, failures: 1 },
        rules: Object.freeze(
          ["slow", "greedy", "broken"].map(
            (name) => ({ id: `t.${name}`, effect: "allow", pattern: { tool: `skill__${name}` } }) as const,
          ),
        ),
      },
    );
    const errorOf = async (skill: string): Promise<unknown> =>
      (await skills.execute({ skill, input: {} }, NEVER)).error;
    expect(await errorOf("missing")).toEqual({
      code: "SKILL_NOT_LOADED",
      message: "runtime: skill not loaded: missing",
    });
    expect(await errorOf("slow")).toEqual({
      code: "SKILL_EXECUTION_TIMEOUT",
      message: "runtime: skill execution timeout: slow took longer than 300 ms",
    });
    expect(await errorOf("greedy")).toMatchObject({
      code: "SKILL_RESOURCE_EXHAUSTED",
      message: expect.stringMatching(/^runtime: resource exhausted: greedy: /),
    });
    expect(await errorOf("denied")).toMatchObject({
      code: "SKILL_POLICY_REJECTED",
      message: expect.stringMatching(/^runtime: policy rejected: denied: /),
    });
    expect(await errorOf("broken")).toMatchObject({ code: "SKILL_RUN_FAILED" });
    expect(await errorOf("broken")).toMatchObject({
      code: "SKILL_CIRCUIT_OPEN",
      message: expect.stringMatching(/^runtime: circuit breaker open: broken: /),
    });
  });

  test("P9: says what it used", async () => {
    const busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo 1";
    const { skills } = await skillBench([shellSkill("busy", busy)]);
    const { usage } = await skills.execute({ skill: "busy", input: {} }, NEVER);
    expect(usage.cpu_time_ms).toBeGreaterThan(0);
    expect(usage.memory_mb).toBeGreaterThan(0);
    expect(usage.tokens_used).toBe(0);
  });

  test("T9: an endless loop is ended at its limit, of time or of the processor, and nothing of it is left", async () => {
    const { skills } = await skillBench([
      shellSkill("endless", "sleep 4242.4242 & while :; do :; done", { timeout: "500ms" }),
      shellSkill("burning", "while :; do :; done", { resources: { max_cpu_ms: 300 } }),
    ]);
    expect(await skills.execute({ skill: "endless", input: {} }, NEVER)).toMatchObject({ status: "timeout" });
    expect(processesWith("4242.4242")).toEqual([]);
    expect(await skills.execute({ skill: "burning", input: {} }, NEVER)).toMatchObject({
      ...{ status: "failed", error: { code: "SKILL_RESOURCE_EXHAUSTED" } },
    });
  });

  test("T9: can neither write the project nor reach a network", async () => {
    const script = [
      "touch here 2>/dev/null && echo '\"wrote\"' && exit 0",
      'touch "$PAWL_SKILL/main.sh" 2>/dev/null && echo \'"wrote itself"\' && exit 0',
      "ls /sys/class/net 2>/dev/null | grep -qv lo && echo '\"net\"' && exit 0",
      "echo '\"walled\"'",
    ].join("\n");
    const { root, skills } = await skillBench([shellSkill("sly", script)]);
    writeFileSync(join(root, "file"), "x");
    expect((await skills.execute({ skill: "sly", input: {} }, NEVER)).output).toBe("walled");
    expect(existsSync(join(root, "here"))).toBe(false);
  });

  test("P8: is refused with input that does not fit, and its output is held to its schema", async () => {
    const liar = shellSkill("liar", "echo 5", { output_schema: { type: "string" } });
    const { skills } = await skillBench([GREET, liar, shellSkill("mumbler", "echo not json")]);
    const end = async (skill: string, input: object): Promise<unknown> => {
      const { status, error } = await skills.execute({ skill, input: input as never }, NEVER);
      return [status, error?.code];
    };
    expect(await end("greet", {})).toEqual(["rejected", "SKILL_INPUT_INVALID"]);
    expect(await end("liar", {})).toEqual(["failed", "SKILL_OUTPUT_INVALID"]);
    expect(await end("mumbler", {})).toEqual(["failed", "SKILL_OUTPUT_INVALID"]);
  });

  test("P7: a permission that was not granted is a rejection; none are granted unless told", async () => {
    const needy = shellSkill("needy", "echo 1", { permissions: ["net.read"] });
    const end = async (granted: readonly string[]): Promise<string> => {
      const { skills } = await skillBench([needy], { granted });
      return (await skills.execute({ skill: "needy", input: {} }, NEVER)).status;
    };
    expect([await end([]), await end(["net.read"])]).toEqual(["rejected", "success"]);
  });

  test("B9: a breaker opens after failures in a row, admits one trial, and is not moved by cancels and denials", async () => {
    let now = 1_000_000;
    const clock = { ...CLOCK, now: () => now };
    const flip = shellSkill("flip", 'read line; case "$line" in *true*) echo 1;; *) exit 1;; esac');
    const { skills } = await skillBench([flip], {
      clock,
      breakerRules: { ...BREAKER_RULES, failures: 2, coolDownMs: 1000 },
    });
    const run = async (ok: boolean, signal = NEVER): Promise<string> => {
      const { status, error } = await skills.execute({ skill: "flip", input: { ok } }, signal);
      return error?.code === "SKILL_CIRCUIT_OPEN" ? "open" : status;
    };
    expect([await run(false), await run(false, AbortSignal.abort()), await run(true), await run(false)]).toEqual([
      "failed",
      "canceled",
      "success",
      "failed",
    ]);
    expect([await run(false), await run(true)]).toEqual(["failed", "open"]);
    now += 1001;
    expect(await Promise.all([run(true), run(true)])).toEqual(["success", "open"]);
    expect(await run(true)).toBe("success");
  });

  test("P7: whoever throws instead of ruling has denied", async () => {
    const { skills } = await skillBench([GREET], { decide: () => Promise.reject(new Error("no rules")) });
    expect(await skills.execute({ skill: "greet", input: { name: "a" } }, NEVER)).toMatchObject({
      status: "rejected",
      error: { code: "SKILL_POLICY_REJECTED" },
    });
  });

  test("T10: is a tool like any other: policy is asked with its name, and its errors come back as results", async () => {
    const { skills } = await skillBench([GREET, shellSkill("bad-one", "exit 1")]);
    const tools = skills.tools();
    expect(tools.map(({ name, risk, timeout }) => [name, risk, timeout])).toEqual([
      ["skill__greet", "medium", "medium"],
      ["skill__bad_one", "medium", "medium"],
    ]);
    expect(tools[0]?.requests({ name: "x" })).toEqual([{ kind: "tool", tool: "skill__greet", args: { name: "x" } }]);
  });
});

describe("a plan of skills", () => {
  const ids = { request: "r", assistant: "a", session: "s", tenant: "t", user: "u" };
  const execute = async (bench: Awaited<ReturnType<typeof skillBench>>, steps: readonly object[], hooks = {}) => {
    const records: ExecutionRecord[] = [];
    const context = createExecutionContext(ids, CLOCK.now());
    const plan = { assistant_id: "a", steps: steps.map((step) => ({ type: "skill", ...step })) };
    const parts = { log: { append: (record: ExecutionRecord) => void records.push(record) }, root: bench.root, hooks };
    return { records, report: await bench.skills.executePlan(plan, context, parts, NEVER) };
  };

  test("P4: runs with what the steps before gave", async () => {
    const bench = await skillBench([GREET]);
    const { report, records } = await execute(bench, [
      { step_id: "one", name: "greet", arguments: { name: "ada" } },
      { name: "greet", arguments: { name: "{{one.heard.name}} again" } },
    ]);
    expect(report).toMatchObject({ stop: "goal_achieved", output: { heard: { name: "ada again" } }, calls: 2 });
    expect(records).toHaveLength(4);
  });

  test("P7: ends with the word for what went wrong, known by its code", async () => {
    const bench = await skillBench(
      [
        shellSkill("broken", "exit 1"),
        shellSkill("greedy", "head -c 400m /dev/zero | tail >/dev/null; echo 1", { resources: { max_memory_mb: 32 } }),
        GREET,
      ],
      { breakerRules: { ...BREAKER_RULES, failures: 1 } },
    );
    const end = async (name: string, given = {}, hooks = {}): Promise<unknown> => {
      const { report } = await execute(bench, [{ name, arguments: given }], hooks);
      return [report.stop, report.status, report.error?.code];
    };
    expect(await end("broken")).toEqual(["fail_fast", "failed", "SKILL_RUN_FAILED"]);
    expect(await end("broken")).toEqual(["circuit_open", "failed", "SKILL_CIRCUIT_OPEN"]);
    expect(await end("greedy")).toEqual(["resource_exhausted", "failed", "SKILL_RESOURCE_EXHAUSTED"]);
    expect(await end("greet")).toEqual(["fail_fast", "failed", "TOOL_INPUT_INVALID"]);
    expect(await end("unknown")).toEqual(["invalid_plan", "rejected", "EXECUTION_PLAN_INVALID"]);
    expect(await end("greet", { name: "x" }, { preTool: () => ({ deny: "no" }) })).toEqual([
      "hook_denied",
      "rejected",
      "HOOK_DENIED",
    ]);
  });

  test("P7: is denied by policy like any call", async () => {
    const bench = await skillBench([GREET], { rules: Object.freeze([]) });
    const { report } = await execute(bench, [{ name: "greet", arguments: { name: "x" } }]);
    expect(report).toMatchObject({ stop: "policy_denied", status: "rejected", results: [{ status: "rejected" }] });
    rmSync(bench.root, { recursive: true, force: true });
  });
});
