import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { type Pattern, parseRegistry } from "../registry.ts";
import { type TickOptions, tickText } from "./tick-text.ts";

const REGISTRY = `patterns:
  - id: ci-sweeper
    name: CI Sweeper
    file: ci-sweeper.md
    goal: keep the checks green
    cadence: 5m-15m
    risk: low
    tools: [codex]
    skills: [ci-triage, minimal-fix]
    state: ci-sweeper-state.md
    phases: [detect, fix]
    human_gates: [security]
    cost: { tokens_noop: 5000, tokens_report: 60000, tokens_action: 200000, suggested_daily_cap: 1000000, early_exit_required: true }
`;
const OPTIONS: TickOptions = {
  agent: "codex",
  calls: "models",
  test: ["npm", "test"],
  gate: null,
  workspace: "worktree",
  flat: null,
};

function patternOf(registry: string): Pattern {
  const read = parseRegistry(registry, "r.yaml", "strict");
  const [pattern] = read.ok ? read.value : [];
  if (pattern === undefined) throw new Error(JSON.stringify(read));
  return pattern;
}

const PATTERN = patternOf(REGISTRY);
const WITHOUT_COSTS = patternOf(REGISTRY.replace(/^ +cost:.*\n/m, ""));

interface Stage extends JsonObject {
  readonly id: string;
  readonly agent?: { readonly goal: string };
}

interface Tick extends JsonObject {
  readonly stages: readonly Stage[];
}

const tick = (options: Partial<TickOptions>, pattern = PATTERN): Tick =>
  JSON.parse(tickText(pattern, { ...OPTIONS, ...options }));

/** Every value of a tick with its path, one a line; stages go by their ids. */
function linesOf({ stages, ...rest }: Tick): readonly string[] {
  const lines = (path: string, value: JsonValue | undefined): readonly string[] =>
    isJsonObject(value) && Object.keys(value).length > 0
      ? Object.entries(value).flatMap(([key, each]) => lines(`${path}.${key}`, each))
      : [`${path} = ${JSON.stringify(value)}`];
  return [
    ...Object.entries(rest).flatMap(([key, value]) => lines(key, value)),
    `stages = ${stages.map(({ id }) => id).join(" ")}`,
    ...stages.flatMap(({ id, ...stage }) => lines(id, stage)),
  ];
}

/** What these options change in the usual tick; all the rest of it is the same. */
function changed(options: Partial<TickOptions>, pattern = PATTERN) {
  const [usual, other] = [linesOf(tick({})), linesOf(tick(options, pattern))];
  return {
    gone: usual.filter((line) => !other.includes(line)),
    come: other.filter((line) => !usual.includes(line)),
  };
}

describe("the text of a tick", () => {
  it("is a blueprint in which the project's own command tests the change", () => {
    const { stages, ...head } = tick({});
    expect(head).toEqual({
      version: 1,
      name: "ci-sweeper",
      description: "keep the checks green",
      params: {
        test: { type: "list", description: "The command that tests the project.", default: ["npm", "test"] },
        into: { type: "string", default: "main", description: "The branch that is merged into at L3." },
      },
      workspace: { kind: "worktree" },
      defaults: { agent: "codex", timeout: "30m" },
      policy: {
        allow: [
          ...["agent.*", "loop.*", "git.commit", "git.merge", "generate_diff_report"].map((action) => ({ action })),
          { read: "**" },
          { edit: "**" },
          { run: ["**"] },
        ],
      },
    });
    expect(stages.map(({ id }) => id)).toEqual([
      ...["discover", "admit", "triage", "claim", "implement", "verify", "review", "change", "commit", "mergeable"],
      ...["merge", "unchanged", "record", "halted", "idle", "gave_up", "rejected", "again", "tried_out", "keep"],
      ...["escalated", "proposed", "merged"],
    ]);
  });

  it("asks for the command that tests the project where none is known", () => {
    expect(changed({ test: null })).toEqual({ gone: ['params.test.default = ["npm","test"]'], come: [] });
  });

  it("works in the kind of workspace that it is told", () => {
    expect(changed({ workspace: "clone" })).toEqual({
      gone: ['workspace.kind = "worktree"'],
      come: ['workspace.kind = "clone"'],
    });
  });

  it("takes the rules for changes and merges from the file of the project", () => {
    expect(changed({ gate: "loop-gate.yaml" })).toEqual({
      gone: [
        'change.gate.change.deny = [".env",".env.*","**/secrets/**","**/credentials/**","**/*_key*","**/*_secret*",".terraform/**","k8s/production/**","**/migrations/**","auth/**","payments/**","billing/**"]',
        "change.gate.change.max_files = 10",
        'change.gate.change.denied = "escalate"',
        'mergeable.gate.merge.allow = ["docs/**","**/*.md"]',
      ],
      come: ['change.gate.change.from = "loop-gate.yaml"', 'mergeable.gate.merge.from = "loop-gate.yaml"'],
    });
  });

  it("allows no models to an agent that calls none, and gives the scripted one its scripts", () => {
    expect(changed({ agent: "scripted", calls: "nothing" })).toEqual({
      gone: [
        'defaults.agent = "codex"',
        "triage.models.tokens = 60000",
        "triage.models.usd = 20",
        "implement.models.tokens = 200000",
        "implement.models.usd = 20",
        "review.models.tokens = 200000",
        "review.models.usd = 20",
      ],
      come: [
        'defaults.agent = "scripted"',
        'triage.agent.script = "agents/triage.yaml"',
        'implement.agent.script = "agents/implement.yaml"',
        'review.agent.script = "agents/review.yaml"',
      ],
    });
  });

  const RECORDS = ["record", "halted", "gave_up", "rejected", "tried_out", "escalated", "proposed", "merged"];
  const recorded = (noop: number, report: number, action: number): readonly string[] =>
    RECORDS.flatMap((stage) =>
      Object.entries({ noop, report, action }).map(([end, tokens]) => `${stage}.with.tokens.${end} = ${tokens}`),
    );

  it("charges every end the same where the price is flat, once the tick is admitted", () => {
    const usual = `stages = ${tick({})
      .stages.map(({ id }) => id)
      .join(" ")}`;
    expect(changed({ flat: 7000 })).toEqual({
      gone: [usual, ...recorded(5000, 60_000, 200_000)],
      come: [
        usual.replace("admit triage", "admit price triage"),
        'price.action = "loop.mock_price"',
        'price.on_failure = "halted"',
        ...recorded(7000, 7000, 7000),
      ],
    });
  });

  it("expects nothing of a pattern whose costs nobody knows, and lets it use little", () => {
    expect(changed({}, WITHOUT_COSTS)).toEqual({
      gone: [
        "triage.models.tokens = 60000",
        "implement.models.tokens = 200000",
        "review.models.tokens = 200000",
        ...recorded(5000, 60_000, 200_000),
      ],
      come: [
        "triage.models.tokens = 10000",
        "implement.models.tokens = 10000",
        "review.models.tokens = 10000",
        ...recorded(0, 0, 0),
      ],
    });
  });

  it("takes no words of the registry for a reference in what it tells an agent", () => {
    const goals = (gate: string) => {
      const { stages } = tick({}, { ...PATTERN, humanGates: [gate] });
      return stages.flatMap(({ agent }) => (agent === undefined ? [] : [agent.goal]));
    };
    expect(goals("${params.into}")).toEqual(goals("GATE").map((goal) => goal.replace("GATE", () => "$${params.into}")));
  });
});
