/** Options of the ticks of a pattern, with the words of loop-runtime. */
import { pawlError } from "../../base/errors.ts";
import type { DoorOptions } from "../../runtime/doors/door-options.ts";
import { CLI_ERRORS } from "../errors.ts";
import type { Given, OptionSpec } from "../spec.ts";

export const TICK_OPTIONS: readonly OptionSpec[] = [
  {
    kind: "text",
    flags: "--backend <name>",
    summary: "of a pattern: the same, as loop-runtime says it",
    choices: ["mock", "claude"],
  },
  { kind: "flag", flags: "--worktree", summary: "of a pattern: work in a linked worktree instead of a clone" },
  { kind: "count", flags: "--ticks <n>", summary: "of a pattern: how many ticks", min: 1 },
];

interface TickChoice {
  readonly backend: string;
  readonly ticks: number;
  readonly door: DoorOptions;
}

/** What is no pattern has no ticks. */
export function refuseTickWords(given: Given): void {
  const words = tickWords(given);
  if (words.length > 0) throw pawlError(CLI_ERRORS, "CLI_TICK_OPTION", { options: words.join(", ") });
}

/** Names of those that were given. */
function tickWords(given: Given): readonly string[] {
  const texts = ["backend"].filter((name) => given.text(name) !== undefined);
  const others: string[] = [
    ...(given.flag("worktree") ? ["worktree"] : []),
    ...(given.count("ticks") === undefined ? [] : ["ticks"]),
  ];
  if (given.text("count") !== undefined) others.push("ticks");
  return [...texts, ...others].map((name) => `--${name}`);
}

export function tickOptionsGiven(given: Given): TickChoice {
  const isDry = given.flag("dry-run");
  const [agent, named] = [given.text("agent"), given.text("backend")];
  if (agent !== undefined && named !== undefined && agent !== named)
    throw pawlError(CLI_ERRORS, "CLI_AGENT_TWICE", { agent, backend: named });
  const [ticks, count] = [given.count("ticks"), given.text("count")];
  if (ticks !== undefined && count !== undefined)
    throw pawlError(CLI_ERRORS, "CLI_TICKS_TWICE", { ticks: String(ticks), count });
  const backend = agent ?? named ?? (isDry && given.text("level") !== "L0" ? "mock" : "claude");
  const isMock = backend === "mock";
  const worktree = given.flag("worktree");
  return {
    backend,
    ticks: ticks ?? countOf(count ?? "1"),
    door: { agent: isMock ? "scripted" : backend, isMock, worktree },
  };
}

/** A tick goes its way once. */
export function refuseRounds(given: Given): void {
  if (given.count("max-rounds") !== undefined)
    throw pawlError(CLI_ERRORS, "CLI_ROUNDS_NONE", { option: "--max-rounds" });
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw pawlError(CLI_ERRORS, "CLI_TICKS_INVALID", { text });
}
