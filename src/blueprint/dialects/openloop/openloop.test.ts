import { describe, expect, it, test } from "vitest";
import { parseBlueprint } from "../../validate.ts";
import { type OpenloopConfig, parseOpenloop } from "./config.ts";
import { fillTemplate } from "./template.ts";
import { type OpenloopPlace, translateOpenloop } from "./translate.ts";

const PLACE: OpenloopPlace = {
  name: "openloop-demo",
  file: ".openloop/demo/openloop.json",
  folder: "",
  projectRoot: "/workspace",
  workspace: "/workspace/.openloop/demo",
  kept: ".openloop/demo",
  output: ".openloop/demo/output",
  share: [],
  maxRounds: null,
};

function parsed(value: object | string): ReturnType<typeof parseOpenloop> {
  return parseOpenloop(typeof value === "string" ? value : JSON.stringify(value, null, 2), "openloop.json");
}

function config(value: object): OpenloopConfig {
  const result = parsed({ version: 1, ...value });
  if (!result.ok) throw new Error(result.problems.map(({ what }) => what).join());
  return result.value;
}

function problemsOf(value: object | string): readonly string[] {
  const result = parsed(value);
  return result.ok ? [] : result.problems.map(({ code, where }) => `${code} ${where?.line}:${where?.column}`);
}

/** Outcome by outcome, where each stage leads. */
function routesOf(value: object, place: Partial<OpenloopPlace> = {}): Readonly<Record<string, string>> {
  const text = translateOpenloop(config(value), { ...PLACE, ...place });
  const blueprint = parseBlueprint(text, "made");
  if (!blueprint.ok) throw new Error(`${blueprint.problems.map(({ what }) => what).join()}\n${text}`);
  return Object.fromEntries(
    blueprint.value.stages.map(({ id, on }) => [id, on.map(({ outcome, target }) => `${outcome}>${target}`).join(" ")]),
  );
}

const BASELINE = { enabled: true, command: "node m.mjs", regex: "score=([0-9.]+)", value: 0.9 };

describe("openloop.json", () => {
  it("has the defaults of openloop", () => {
    expect(config({ commands: { verify: "npm test", fix: " " } })).toEqual({
      mission: "",
      totalRounds: 3,
      projectRoot: ".",
      commands: { verify: "npm test" },
      baseline: null,
      metricName: "score",
      timeoutSeconds: 900,
      stallSeconds: 300,
      maxConsecutiveFailures: 3,
      network: [],
    });
  });

  it("reads no further in a baseline that is not enabled", () => {
    const baselines = [{}, { enabled: false }, { ...BASELINE, enabled: false }];
    expect(baselines.map((baseline) => config({ commands: { verify: "v" }, baseline }).baseline)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("keeps what is written", () => {
    const limits = { command_timeout_seconds: 9, stall_timeout_seconds: 8, max_consecutive_failures: 7 };
    const baseline = { ...BASELINE, metric_name: "speed", direction: "less" };
    const written = { mission: "m", total_rounds: 2, project_root: "/p", commands: { verify: "v" }, baseline, limits };
    expect(config({ ...written, pawl: { network: ["api.example.org"] } })).toEqual({
      mission: "m",
      totalRounds: 2,
      projectRoot: "/p",
      commands: { verify: "v" },
      baseline: { command: "node m.mjs", regex: BASELINE.regex, value: 0.9, direction: "less" },
      metricName: "speed",
      timeoutSeconds: 9,
      stallSeconds: 8,
      maxConsecutiveFailures: 7,
      network: ["api.example.org"],
    });
  });

  test.each([
    ["another version", { version: 2, commands: { verify: "v" } }, ["BLUEPRINT_VALUE_INVALID 2:14"]],
    ["no commands", { version: 1 }, ["BLUEPRINT_KEY_MISSING 1:1"]],
    ["no verify", { version: 1, commands: {} }, ["BLUEPRINT_KEY_MISSING 3:15"]],
    ["a command that is no text", { version: 1, commands: { verify: 5 } }, ["BLUEPRINT_VALUE_INVALID 4:15"]],
    ["an empty verify", { version: 1, commands: { verify: "" } }, ["OPENLOOP_VERIFY_EMPTY 4:15"]],
    ["a word that is not known", { version: 1, rounds: 3, commands: { verify: "v" } }, ["BLUEPRINT_KEY_UNKNOWN 3:3"]],
    ["no rounds", { version: 1, total_rounds: 0, commands: { verify: "v" } }, ["BLUEPRINT_VALUE_INVALID 3:19"]],
    [
      "a baseline without a number",
      { version: 1, commands: { verify: "v" }, baseline: { enabled: true } },
      ["OPENLOOP_BASELINE_INCOMPLETE 6:15"],
    ],
    [
      "a baseline without a group",
      { version: 1, commands: { verify: "v" }, baseline: { ...BASELINE, regex: "x" } },
      ["OPENLOOP_REGEX_UNFIT 9:14"],
    ],
    [
      "a pattern that needs backtracking",
      { version: 1, commands: { verify: "v" }, baseline: { ...BASELINE, regex: "(a)\\1" } },
      ["OPENLOOP_REGEX_UNFIT 9:14"],
    ],
    [
      "a variable in a heredoc",
      { version: 1, commands: { verify: "cat <<E\n{round}\nE" } },
      ["OPENLOOP_VARIABLE_UNSURE 4:15"],
    ],
    [
      "everything at once",
      { version: 3, commands: { verify: "" } },
      ["BLUEPRINT_VALUE_INVALID 2:14", "OPENLOOP_VERIFY_EMPTY 4:15"],
    ],
    ["no map", "[]", ["BLUEPRINT_VALUE_TYPE 1:1"]],
  ])("is refused with %s, each problem at its place", (_, value, expected) => {
    expect(problemsOf(value)).toEqual(expected);
  });
});

describe("fillTemplate", () => {
  const filled = (text: string): string => {
    const made = fillTemplate(text);
    return made.ok ? made.text : `${made.name} after ${made.after}`;
  };

  test.each([
    ["echo {round}", 'echo "${OPENLOOP_ROUND}"'],
    ['echo "in {workspace} now"', 'echo "in ${OPENLOOP_WORKSPACE} now"'],
    [
      "agent --task 'Fix {last_error} in {project_root}'",
      `agent --task 'Fix '"\${OPENLOOP_LAST_ERROR}"' in '"\${OPENLOOP_PROJECT_ROOT}"''`,
    ],
    ["awk '{print}' {x} {roundabout}", "awk '{print}' {x} {roundabout}"],
    ["echo \\' {round}", 'echo \\\' "${OPENLOOP_ROUND}"'],
    ['echo "\\"{round}"', 'echo "\\"${OPENLOOP_ROUND}"'],
    ["# don't\necho {round}", '# don\'t\necho "${OPENLOOP_ROUND}"'],
    ["echo a#'{round}' # it's", `echo a#''"\${OPENLOOP_ROUND}"'' # it's`],
    ["echo '$(' {round}", `echo '$(' "\${OPENLOOP_ROUND}"`],
    ["echo $(date) {round}", "round after $("],
    ["cat <<E\n{last_error}\nE", "last_error after <<"],
    ["echo `x` {workspace}", "workspace after `"],
    ["{round}", '"${OPENLOOP_ROUND}"'],
  ])("K18: %s", (text, expected) => {
    expect(filled(text)).toBe(expected);
  });
});

describe("translateOpenloop", () => {
  const all = { play: "p", scan: "s", verify: "v" };
  const repairs = { fix: "f", improve: "i" };

  test.each([
    ["only verify", { verify: "v" }, false, { begin: "success>verify", verify: "pass>apply fail>verify", apply: "" }],
    [
      "fix",
      { ...all, fix: "f" },
      false,
      {
        begin: "success>play",
        fix: "success>play failure>play",
        play: "pass>scan fail>fix",
        scan: "pass>verify fail>fix",
        verify: "pass>apply fail>fix",
        apply: "",
      },
    ],
    [
      "fix, improve and baseline",
      { ...all, ...repairs },
      true,
      {
        begin: "success>play",
        fix: "success>play failure>play",
        improve: "success>play failure>play",
        play: "pass>scan fail>fix",
        scan: "pass>verify fail>fix",
        verify: "pass>baseline fail>fix",
        baseline: "pass>apply fail>improve",
        apply: "",
      },
    ],
    [
      "improve without fix",
      { verify: "v", improve: "i" },
      true,
      {
        begin: "success>verify",
        improve: "success>verify failure>verify",
        verify: "pass>baseline fail>verify",
        baseline: "pass>apply fail>improve",
        apply: "",
      },
    ],
    [
      "fix without improve",
      { verify: "v", fix: "f" },
      true,
      {
        begin: "success>verify",
        fix: "success>verify failure>verify",
        verify: "pass>baseline fail>fix",
        baseline: "pass>apply fail>fix",
        apply: "",
      },
    ],
    [
      "improve that nothing asks for",
      { verify: "v", improve: "i" },
      false,
      { begin: "success>verify", verify: "pass>apply fail>verify", apply: "" },
    ],
  ])("L8: after every change all checks judge again: %s", (_, commands, measured, expected) => {
    expect(routesOf({ commands, ...(measured ? { baseline: BASELINE } : {}) })).toEqual(expected);
  });

  const text = (value: object, place: Partial<OpenloopPlace> = {}): string =>
    translateOpenloop(config({ commands: { verify: "v" }, ...value }), { ...PLACE, ...place });

  it("L8: takes the smaller of total_rounds and --max-rounds, whatever is configured", () => {
    const rounds = (value: object, maxRounds: number | null): string | undefined =>
      /rounds: (\d+)/.exec(text(value, { maxRounds }))?.[1];
    const fix = { commands: { verify: "v", fix: "f" } };
    expect([rounds({}, null), rounds({}, 1), rounds({ total_rounds: 2 }, 5), rounds(fix, 1)]).toEqual([
      "3",
      "1",
      "2",
      "1",
    ]);
  });

  it("V3: has a gate for every direction", () => {
    const gates = (direction: string, value = 0.5): readonly string[] =>
      [
        ...text({ baseline: { ...BASELINE, value, direction } }).matchAll(
          /direction: (\w+), must: reach, target: (\S+),/g,
        ),
      ].map(([, better, target]) => `${better} ${target}`);
    expect(gates("greater_equal")).toEqual(["higher 0.5"]);
    expect(gates("less_equal")).toEqual(["lower 0.5"]);
    expect(gates("greater")).toEqual(["higher 0.5000000000000001"]);
    expect(gates("less", -0.5)).toEqual(["lower -0.5000000000000001"]);
    expect(gates("greater", 0)).toEqual(["higher 5e-324"]);
    expect(gates("equal")).toEqual(["higher 0.5", "lower 0.5"]);
  });

  it("I11: keeps what every command leaves in the output folder, whatever that is called", () => {
    const keeps = (place: Partial<OpenloopPlace>): readonly unknown[] => {
      const value = { commands: { play: "p", scan: "s", fix: "f", verify: "v", improve: "i" }, baseline: BASELINE };
      const blueprint = parseBlueprint(translateOpenloop(config(value), { ...PLACE, ...place }), "made");
      if (!blueprint.ok) throw new Error(blueprint.problems.map(({ what }) => what).join());
      return blueprint.value.stages.flatMap((stage) => ("keep" in stage ? [stage.keep] : []));
    };
    expect(keeps({})).toEqual(Array.from({ length: 6 }, () => [".openloop/demo/output/**"]));
    expect(keeps({ output: "a{b,c}[d]!e*/output" })).toEqual(
      Array.from({ length: 6 }, () => ["a?b,c??d??e?/output/**"]),
    );
  });

  it("carries mission, folders, hosts and what is not to be changed", () => {
    const made = text(
      { mission: "Keep ${it} up", commands: { verify: "ls *.js", fix: "f" }, pawl: { network: ["a.example.org"] } },
      { folder: "packages/a", share: ["packages/a/node_modules"], kept: "", file: "ö.json" },
    );
    const blueprint = parseBlueprint(made, "made");
    expect(blueprint).toMatchObject({ ok: true, value: { description: "Keep ${it} up" } });
    for (const part of [
      "# Made from ?.json",
      'share: ["packages/a/node_modules"]',
      'cwd: "packages/a"',
      'protect: ["openloop.json"',
      'network: ["a.example.org"]',
      '- { shell: "f" }',
    ])
      expect(made).toContain(part);
    expect(made).not.toContain('- { shell: "ls');
    expect(text({}, { kept: null })).not.toContain("protect");
  });
});
