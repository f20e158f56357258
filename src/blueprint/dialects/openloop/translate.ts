/**
 * openloop.json → a blueprint. The checks judge the whole project after every change, so that nothing is complete by a check
 * that ran before it, and nothing is repaired that no round is left to judge:
 *
 *   begin ─▶ play ─▶ scan ─▶ verify ─▶ baseline ─▶ apply ─▶ done
 *             │       │        │          └─ fail ─▶ improve ─┐
 *             └───────┴────────┴─ fail ─▶ fix ────────────────┴─▶ play    (a new round)
 */
import type { OpenloopConfig, Step } from "./config.ts";

/** Where a loop works, as its door found it. */
export interface OpenloopPlace {
  /** Name of the blueprint. */
  readonly name: string;
  /** Of the file, for people. */
  readonly file: string;
  /** The folder that commands work in, from the root of the project; empty: the root. */
  readonly folder: string;
  /** As a command finds them behind its wall. */
  readonly projectRoot: string;
  readonly workspace: string;
  /** The workspace from the top of the repository; null: it lies elsewhere. */
  readonly kept: string | null;
  /** Where commands leave files for people, screenshots for instance; from the top of the repository. */
  readonly output: string;
  /** Folders that git does not keep and every workspace gets a copy of. */
  readonly share: readonly string[];
  /** `--max-rounds`. */
  readonly maxRounds: number | null;
}

/** Files of the workspace that people or Pawl write: what a command makes of them does not count. */
const KEPT = ["openloop.json", "mission.md", "loop_contract.md", "eval_criteria.md", "heartbeat.json", "progress.md"];
const KEPT_FOLDERS = ["logs", "artifacts"];
const CHOICE = /\{[^{}]*,[^{}]*\}/;

interface Stage {
  readonly id: string;
  readonly lines: readonly string[];
}

export function translateOpenloop(config: OpenloopConfig, place: OpenloopPlace): string {
  const { commands, baseline, totalRounds, timeoutSeconds, stallSeconds } = config;
  const checks = checksOf(config);
  const first = checks[0] as Check;
  const repairs = (["fix", "improve"] as const).filter((step) => isUsed(step, config));
  const rounds = Math.min(totalRounds, place.maxRounds ?? totalRounds);
  const texts = [...Object.values(commands), ...(baseline === null ? [] : [baseline.command])];
  const stages: readonly Stage[] = [
    {
      id: "begin",
      lines: ["action: values.set", `with: { mission: ${shellText(config.mission)} }`, `on_success: ${first.id}`],
    },
    ...repairs.map((step) => repairStage(step, commands[step] as string, first.id, config, place)),
    ...checks.map((check, index) => checkStage(check, checks[index + 1]?.id ?? "apply", first.id, config, place)),
    { id: "apply", lines: ["action: project.apply", "level: L2"] },
  ];
  return `# Made from ${place.file.replaceAll(/[^\x20-\x7e]/g, "?")} of openloop. A round repairs what was found and judges all of it again;
# what has passed every check is put into the project, and nothing else is.
version: 1
name: ${place.name}
${config.mission.trim() === "" ? "" : `description: ${quoted(config.mission.slice(0, 2000))}\n`}
workspace: { kind: clone, from: working_tree${place.share.length === 0 ? "" : `, share: ${listed(place.share)}`} }
limits: { rounds: ${rounds}, consecutive_failures: ${config.maxConsecutiveFailures} }
defaults: { timeout: ${timeoutSeconds}s, stall: ${stallSeconds}s, effect: idempotent${place.folder === "" ? "" : `, cwd: ${quoted(place.folder)}`} }
${protectLine(place)}
# The commands are those of whoever wrote the file; they run behind a wall, without a network unless one is named.
policy:
  allow:
    - { shell: "**" }
${exactRules(texts)}    - { action: values.set }
    - { action: project.apply }

stages:
${stages.map(({ id, lines }) => `  - id: ${id}\n${lines.map((line) => `    ${line}\n`).join("")}`).join("")}`;
}

interface Check {
  readonly id: string;
  /** What the gate is, without its command's environment. */
  readonly gate: string;
  /** Whose turn it is when it fails. */
  readonly repair: "fix" | "improve";
}

function checksOf({ commands, baseline }: OpenloopConfig): readonly Check[] {
  const steps = (["play", "scan", "verify"] as const).flatMap((step): Check[] => {
    const text = commands[step];
    return text === undefined ? [] : [{ id: step, gate: `{ command: ${shellText(text)} }`, repair: "fix" }];
  });
  if (baseline === null) return steps;
  const { direction, value } = baseline;
  const metric = (id: string, better: "higher" | "lower", target: number): Check => ({
    id,
    gate: `{ metric: { command: ${shellText(baseline.command)}, regex: ${quoted(baseline.regex)}, direction: ${better}, must: reach, target: ${target}, repeats: 1 } }`,
    repair: "improve",
  });
  if (direction === "equal")
    return [...steps, metric("baseline", "higher", value), metric("baseline_most", "lower", value)];
  // Above a number is at least the next one that there is.
  const target = direction === "greater" ? neighbour(value, 1) : direction === "less" ? neighbour(value, -1) : value;
  return [...steps, metric("baseline", direction.startsWith("greater") ? "higher" : "lower", target)];
}

/** `improve` without a baseline would never run. */
function isUsed(step: "fix" | "improve", { commands, baseline }: OpenloopConfig): boolean {
  return commands[step] !== undefined && (step === "fix" || baseline !== null);
}

function checkStage(check: Check, next: string, first: string, config: OpenloopConfig, place: OpenloopPlace): Stage {
  const wanted = [check.repair, "fix"] as const;
  const repair = wanted.find((step) => isUsed(step, config)) ?? first;
  const step = check.id.startsWith("baseline") ? "baseline" : check.id;
  return {
    id: check.id,
    lines: [`gate: ${check.gate}`, envLine(step, place), keepLine(place), `on: { pass: ${next}, fail: ${repair} }`],
  };
}

/** What it leaves is judged whatever it says of itself. */
function repairStage(
  step: Step,
  text: string,
  first: string,
  { network }: OpenloopConfig,
  place: OpenloopPlace,
): Stage {
  const reach = network.length === 0 ? [] : [`network: ${listed(network)}`, "untrusted: false"];
  return {
    id: step,
    lines: [
      `command: ${shellText(text)}`,
      envLine(step, place),
      keepLine(place),
      ...reach,
      `on: { success: ${first}, failure: ${first} }`,
    ],
  };
}

function envLine(step: string, { workspace, projectRoot }: OpenloopPlace): string {
  const given = { OPENLOOP_WORKSPACE: workspace, OPENLOOP_PROJECT_ROOT: projectRoot, OPENLOOP_STEP: step };
  const fixed = Object.entries(given).map(([name, value]) => `${name}: ${shellText(value)}`);
  // What is told of the round is not the same visit again.
  return `env: { ${[...fixed, 'OPENLOOP_ROUND: "${run.round}"', 'OPENLOOP_LAST_ERROR: "${run.last_error}"'].join(", ")} }`;
}

/** Characters that mean something in a glob stand for any one. */
function keepLine({ output }: OpenloopPlace): string {
  return `keep: ${listed([`${output.replaceAll(/[*?{}[\]\\!]/g, "?")}/**`])}`;
}

/** The whole text of a command allows also what cannot be told from it; a rule has no way to write `*` and choices as they are. */
function exactRules(texts: readonly string[]): string {
  const exact = [...new Set(texts)].filter((text) => !text.includes("*") && !CHOICE.test(text));
  return exact.map((text) => `    - { shell: ${quoted(text)} }\n`).join("");
}

function protectLine({ kept }: OpenloopPlace): string {
  if (kept === null) return "";
  const below = (name: string): string => (kept === "" ? name : `${kept}/${name}`);
  return `protect: ${listed([...KEPT.map(below), ...KEPT_FOLDERS.map((name) => `${below(name)}/**`)])}\n`;
}

/** The next number that there is, above or below. */
function neighbour(value: number, side: 1 | -1): number {
  if (value === 0) return side * Number.MIN_VALUE;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + BigInt(value > 0 ? side : -side));
  return bits.getFloat64(0);
}

/** JSON is YAML. */
function quoted(value: string): string {
  return JSON.stringify(value);
}

/** In a value `$${` is a plain `${`. */
function shellText(value: string): string {
  return quoted(value.split("${").join("$${"));
}

function listed(values: readonly string[]): string {
  return `[${values.map(quoted).join(", ")}]`;
}
