import { describe, expect, it } from "vitest";
import { parseProject } from "./parse-project.ts";

const GIB = 2 ** 30;

const problemsOf = (text: string): readonly string[] => {
  const parsed = parseProject(text, "pawl.yaml");
  return parsed.ok
    ? []
    : parsed.problems.map(({ code, what, where }) => `${where?.line}:${where?.column} ${code}: ${what}`);
};

const triggerOf = (text: string): unknown => {
  const parsed = parseProject(`loops:\n  a: { blueprint: a.yaml, ${text} }\n`, "pawl.yaml");
  return parsed.ok ? parsed.value.loops[0]?.trigger : parsed.problems.map(({ what }) => what);
};

describe("the loops of pawl.yaml", () => {
  it("are read with what they do not say filled in", () => {
    const text = `version: 1
loops:
  check: { blueprint: "builtin:check" }
  sweep:
    pattern: ci-sweeper
    level: L2
    agent: codex
    params: { test: ["npm", "test"], n: 3, deep: { a: null } }
    cron: "0 3 * * 1-5"
    zone: Europe/Berlin
    catch_up: all
    jitter: 2m
    priority: 5
    lane: agents
    paths: ["src/**"]
    max_open: 3
    weight: { memory: 2GB, cpus: 0.5 }
  demo: { workspace: .openloop/demo, every: 5m-15m, weight: { cpus: 2 } }
lanes: { agents: { max: 2 } }
machine: { memory: 12GB, cpus: 4 }
budget: { day: { usd: 5 } }
`;
    const usual = {
      level: "L1",
      params: {},
      agent: null,
      trigger: null,
      catchUp: "one",
      jitterMs: 0,
      priority: 0,
      lane: "default",
      paths: [],
      maxOpen: null,
      weight: { memoryBytes: GIB, cpus: 1 },
    };
    expect(parseProject(text, "pawl.yaml")).toEqual({
      ok: true,
      value: {
        version: 1,
        file: "pawl.yaml",
        lanes: [{ name: "agents", max: 2 }],
        machine: { memoryBytes: 12 * GIB, cpus: 4 },
        loops: [
          {
            ...usual,
            name: "check",
            source: "builtin:check",
            kind: "blueprint",
            where: { file: "pawl.yaml", line: 3, column: 3, length: 5 },
          },
          {
            name: "sweep",
            source: "pattern:ci-sweeper",
            kind: "pattern",
            level: "L2",
            params: { test: ["npm", "test"], n: 3, deep: { a: null } },
            agent: "codex",
            trigger: { kind: "cron", text: "0 3 * * 1-5", zone: "Europe/Berlin" },
            catchUp: "all",
            jitterMs: 120_000,
            priority: 5,
            lane: "agents",
            paths: ["src/**"],
            maxOpen: 3,
            weight: { memoryBytes: 2 * GIB, cpus: 0.5 },
            where: { file: "pawl.yaml", line: 4, column: 3, length: 5 },
          },
          {
            ...usual,
            name: "demo",
            source: ".openloop/demo",
            kind: "workspace",
            trigger: { kind: "every", minMs: 300_000, maxMs: 900_000 },
            weight: { memoryBytes: GIB, cpus: 2 },
            where: { file: "pawl.yaml", line: 18, column: 3, length: 4 },
          },
        ],
      },
    });
  });

  it("weigh nothing where nobody says what the machine has", () => {
    const weightOf = (text: string): unknown => {
      const parsed = parseProject(`loops: { a: { blueprint: a.yaml${text} } }\n`, "pawl.yaml");
      return parsed.ok && parsed.value.loops[0]?.weight;
    };
    expect(weightOf("")).toEqual({ memoryBytes: 0, cpus: 0 });
    expect(weightOf(", weight: { cpus: 2 }")).toEqual({ memoryBytes: GIB, cpus: 2 });
  });

  it("are none in a file that says nothing of them", () => {
    const none = { ok: true, value: { version: 1, loops: [], lanes: [], machine: null, file: "pawl.yaml" } };
    for (const text of ["", "# nothing\n", "auto_resume: true\n", "version: 1\n"])
      expect(parseProject(text, "pawl.yaml")).toEqual(none);
  });

  it("are started by a person, or in one way", () => {
    expect(triggerOf("level: L0")).toBeNull();
    expect(triggerOf("every: 15m-5m")).toEqual({ kind: "every", minMs: 300_000, maxMs: 900_000 });
    expect(triggerOf("every: 1h30m")).toEqual({ kind: "every", minMs: 5_400_000, maxMs: 5_400_000 });
    expect(triggerOf('cron: "@daily"')).toEqual({ kind: "cron", text: "@daily", zone: "UTC" });
    expect(triggerOf("watch: { files: ['src/**'] }")).toEqual({ kind: "watch", files: ["src/**"] });
    expect(triggerOf("watch: { ref: main }")).toEqual({ kind: "watch_ref", ref: "main" });
    expect(triggerOf("webhook: { secret_file: /run/secrets/hook }")).toEqual({
      kind: "webhook",
      secretFile: "/run/secrets/hook",
    });
    expect(triggerOf("every: 1h, cron: '@daily'")).toEqual(['the loop "a" has two ways to be started, every and cron']);
    expect(triggerOf("watch: {}")).toEqual(['the loop "a" watches neither files nor a ref']);
    expect(triggerOf("watch: { ref: main, files: [a] }")).toEqual(['the loop "a" watches both files and a ref']);
    expect(triggerOf("webhook: {}")).toEqual(["webhook has no `secret_file`"]);
  });

  it("say what becomes of what came while nobody was there, or a run was open, whatever starts them", () => {
    for (const trigger of ["every: 1h", "cron: '@daily'", "watch: { ref: main }", "webhook: { secret_file: /x }"])
      expect(problemsOf(`loops: { a: { blueprint: a.yaml, ${trigger}, catch_up: all } }\n`)).toEqual([]);
    expect(problemsOf("loops: { a: { blueprint: a.yaml, watch: { ref: main }, jitter: 1m } }\n")).toHaveLength(1);
  });

  it("have times that can be", () => {
    for (const every of ["15", "0s", "5m-", "1m-2m-3m", "400d", "5m-x", "500ms"])
      expect(triggerOf(`every: ${every}`)).toEqual([expect.stringContaining("every must be a duration")]);
    expect(triggerOf("cron: '0 0 30 2 *'")).toEqual([
      'the times "0 0 30 2 *" cannot be used: there is no such day in these months',
    ]);
    expect(triggerOf("cron: '@daily', zone: Mars/Base")).toEqual([
      'zone must be a time zone such as Europe/Berlin, not "Mars/Base"',
    ]);
    expect(triggerOf("cron: '@daily', zone: 3")).toEqual(["zone must be a time zone such as Europe/Berlin, not 3"]);
    for (const ref of ["a..b", "-x", "/x", "a b", "x.lock", "refs/heads/"])
      expect(triggerOf(`watch: { ref: "${ref}" }`)).toHaveLength(2);
  });

  it("are refused with the place of every mistake", () => {
    const text = `version: 2
loops:
  none: { level: L1 }
  two: { blueprint: a.yaml, pattern: b }
  wrong: { blueprint: ../a.yaml, level: L9, colour: red }
  late: { blueprint: a.yaml, zone: UTC, catch_up: all, jitter: 1m }
  lost: { blueprint: a.yaml, lane: fast, weight: { memory: 9GB } }
  fat: { blueprint: a.yaml, weight: { cpus: 8 } }
  heavy: { blueprint: a.yaml, weight: { memory: 2XB } }
  Upper: { blueprint: a.yaml }
  deep: { blueprint: a.yaml, params: { a: "\${params.x}" } }
  flat: a.yaml
lanes: { slow: { max: 0 }, none: {} }
machine: { memory: 4GB, cpus: 4 }
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "1:10 BLUEPRINT_VERSION_UNSUPPORTED: version must be 1, not 2",
        "3:3 BLUEPRINT_LOOP_FORM: the loop "none" does not say what runs",
        "4:3 BLUEPRINT_LOOP_FORM: the loop "two" has blueprint and pattern",
        "5:23 BLUEPRINT_PATH_INVALID: blueprint must be a relative path without \`..\`, not "../a.yaml"",
        "5:41 BLUEPRINT_VALUE_INVALID: level must be one of L0, L1, L2, L3, not "L9"",
        "5:45 BLUEPRINT_KEY_UNKNOWN: unknown key "colour" in a loop",
        "6:30 BLUEPRINT_KEY_MISPLACED: \`zone\` has no meaning on a loop without \`cron\`",
        "6:41 BLUEPRINT_KEY_MISPLACED: \`catch_up\` has no meaning on a loop that only people start",
        "6:56 BLUEPRINT_KEY_MISPLACED: \`jitter\` has no meaning on a loop without times",
        "7:36 BLUEPRINT_LOOP_UNFIT: the loop "lost" could never start: there is no lane "fast"",
        "7:50 BLUEPRINT_LOOP_UNFIT: the loop "lost" could never start: its weight is above that of the machine",
        "8:37 BLUEPRINT_LOOP_UNFIT: the loop "fat" could never start: its weight is above that of the machine",
        "9:49 BLUEPRINT_VALUE_INVALID: memory must be a size such as 512MB or 2GB (powers of 1024), not "2XB"",
        "10:3 BLUEPRINT_KEY_INVALID: "Upper" is not a name for loops: it must be small letters, digits, - and _, a letter first, at most 64",
        "11:44 BLUEPRINT_REFERENCE_MISPLACED: params.a cannot hold a reference",
        "12:9 BLUEPRINT_VALUE_TYPE: loops.flat must be a map with blueprint, pattern, workspace, level, params, agent, every, cron, zone, watch, webhook, catch_up, jitter, priority, lane, paths, max_open, weight, not text",
        "13:23 BLUEPRINT_VALUE_INVALID: max must be a whole number from 1 to 1000, not 0",
        "13:34 BLUEPRINT_KEY_MISSING: a lane has no \`max\`",
      ]
    `);
    const wrong = "cron: 0 0 30 2 *, zone: Europe/Berlin, catch_up: all, jitter: 1m";
    expect(problemsOf(`loops: { a: { blueprint: a.yaml, ${wrong} } }\n`)).toEqual([
      expect.stringContaining("there is no such day in these months"),
    ]);
    expect(problemsOf("machine: { memory: 4GB }\n")).toEqual([expect.stringContaining("has no `cpus`")]);
    expect(problemsOf("machine: { cpus: 4 }\n")).toEqual([expect.stringContaining("has no `memory`")]);
    expect(problemsOf("loops: { a: { blueprint: a.yaml } }\nmachine: { memory: 512MB, cpus: 1 }\n")).toEqual([
      '1:10 BLUEPRINT_LOOP_UNFIT: the loop "a" could never start: its weight is above that of the machine',
    ]);
    expect(problemsOf("machine: { memory: 0GB, cpus: 4 }\n")).toHaveLength(1);
    expect(problemsOf("- a\n")).toHaveLength(1);
    expect(problemsOf("loops: { a: { blueprint: 7 } }\n")).toHaveLength(1);
  });

  const read = (text: string): unknown => {
    const parsed = parseProject(text, "pawl.yaml");
    if (!parsed.ok) return parsed.problems.map(({ code }) => code);
    const last = parsed.value.loops.at(-1);
    return [parsed.value.loops.length, last?.name, last?.priority, last?.where.line];
  };

  it("are ten thousand of them as well", () => {
    const line = (_: unknown, at: number): string => `  loop-${at}: { blueprint: q.yaml, every: 1h, priority: 3 }\n`;
    expect(read(`loops:\n${Array.from({ length: 10_000 }, line).join("")}`)).toEqual([10_000, "loop-9999", 3, 10_001]);
  });

  it("are read again when a long file was changed, and each of its problems is told each time", () => {
    const long = (priority: number): string =>
      `# ${"x".repeat(300_000)}\nloops:\n  a: { blueprint: a.yaml, priority: ${priority} }\n`;
    for (const priority of [1, 1, 2, 1]) expect(read(long(priority))).toEqual([1, "a", priority, 3]);
    const broken = long(1).replace("loops:", "loops: &x");
    for (const _ of [1, 2]) expect(read(broken)).toEqual(["BLUEPRINT_YAML_ANCHOR"]);
    expect(read(long(1))).toEqual([1, "a", 1, 3]);
    expect(read("[".repeat(300_000))).toEqual(["BLUEPRINT_YAML_TOO_DEEP"]);
  });

  it("are as long as they may be and no longer, whoever wrote them", () => {
    expect(problemsOf(`loops: ${"[".repeat(5000)}`)).toHaveLength(1);
    expect(problemsOf(`# ${"x".repeat(2_097_152)}`)[0]).toContain("BLUEPRINT_TEXT_TOO_LARGE");
    expect(problemsOf("loops:\n  a: { blueprint: a.yaml }\n  a: { blueprint: b.yaml }\n")[0]).toMatch(/^3:3 /);
    expect(problemsOf("loops: &x\n  a: *x\n").length).toBeGreaterThan(0);
  });
});
