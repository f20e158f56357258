/**
 * Why is nothing happening? One reason for one loop: the first that holds, in this order. What is over is told in the past
 * tense, and only when nothing is blocked or under way now.
 *
 *   kill_switch → running → host_gone → awaiting_approval → awaiting_budget → awaiting_quota → paused
 *   → path_lock → max_open → breaker_open → budget_spent → failed → finished → never_ran
 */
import type { EndedRun, HeldBack, LoopFacts, OpenRun, Standing } from "./facts.ts";

export const WHY_KINDS = [
  "kill_switch",
  "running",
  "host_gone",
  "awaiting_approval",
  "awaiting_budget",
  "awaiting_quota",
  "paused",
  "path_lock",
  "max_open",
  "breaker_open",
  "budget_spent",
  "failed",
  "finished",
  "never_ran",
] as const;
export type WhyKind = (typeof WHY_KINDS)[number];

export interface Why {
  readonly loop: string;
  readonly kind: WhyKind;
  /** The run it is about. */
  readonly run: string | null;
  readonly what: string;
  /** null: it never began. */
  readonly since: number | null;
  /** What makes it go on. */
  readonly clears: string;
  /** The line to type for that, if a line does it. */
  readonly command: string | null;
  /** When it goes on by itself; null: it does not. */
  readonly nextWake: number | null;
  /** Other runs of the loop that are not over, by how they stand. */
  readonly others: Readonly<Partial<Record<WhyKind, number>>>;
}

type Reason = Omit<Why, "loop" | "others">;

export function whyOf(facts: LoopFacts): Why {
  const { loop, open, pulled } = facts;
  const kinds = open.map(kindOf);
  const first = WHY_KINDS.find((kind) => kinds.includes(kind));
  const chosen = first === undefined ? undefined : open[kinds.indexOf(first)];
  const stopped = pulled === null || pulled.run === null ? chosen : open.find(({ run }) => run === pulled.run);
  const about = stopped ?? chosen;
  const reason = killed(facts, about) ?? (chosen === undefined ? idle(facts) : openReason(chosen.run, chosen.stands));
  const others = kinds.filter((_, at) => open[at] !== (reason.kind === "kill_switch" ? about : chosen));
  return { loop, ...reason, others: countOf(others) };
}

function kindOf({ stands }: OpenRun): WhyKind {
  return stands.as === "lost" ? "host_gone" : stands.as;
}

function countOf(kinds: readonly WhyKind[]): Why["others"] {
  const counts: Partial<Record<WhyKind, number>> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** null: it was not pulled, or for a run that is not one of this loop's. */
function killed({ pulled }: LoopFacts, about: OpenRun | undefined): Reason | null {
  if (pulled === null || (pulled.run !== null && pulled.run !== about?.run)) return null;
  return {
    kind: "kill_switch",
    run: about?.run ?? null,
    what: `the kill switch was pulled by ${pulled.by}${pulled.why === "" ? "" : `: ${pulled.why}`}`,
    since: pulled.at,
    clears:
      pulled.line === null
        ? "a person releases it; nothing goes on by itself after that"
        : `a person takes out ${pulled.line}; nothing goes on by itself after that`,
    command: pulled.line === null ? "pawl kill --release" : null,
    nextWake: null,
  };
}

function openReason(run: string, stands: Standing): Reason {
  switch (stands.as) {
    case "running":
      return running(run, stands);
    case "lost":
      return {
        kind: "host_gone",
        run,
        what: `no process hosts run ${run} any more; nothing of it is lost`,
        since: stands.since,
        clears: "somebody resumes it",
        command: `pawl resume ${run}`,
        nextWake: null,
      };
    case "awaiting_approval":
      return asking(run, stands);
    case "paused":
      return {
        kind: "paused",
        run,
        what:
          stands.by === "route"
            ? `run ${run} rests where its blueprint says so`
            : `run ${run} was paused by ${stands.by}`,
        since: stands.since,
        clears: "somebody resumes it",
        command: `pawl resume ${run}`,
        nextWake: null,
      };
    default:
      return awaiting(run, stands);
  }
}

function running(run: string, { stages, since }: Extract<Standing, { as: "running" }>): Reason {
  const [first] = stages;
  const more = stages.length > 1 ? ` and ${stages.length - 1} more` : "";
  const said = first?.lastLine == null ? "" : `; it last said: ${first.lastLine}`;
  return {
    kind: "running",
    run,
    what:
      first === undefined
        ? `run ${run} is under way, between two stages`
        : `run ${run} is under way: stage ${first.stage}, attempt ${first.attempt}${more}${said}`,
    since: first?.since ?? since,
    clears: "nothing blocks it",
    command: `pawl status ${run} --watch`,
    nextWake: null,
  };
}

/** Its question was answered, and it has not resumed yet. */
function answered(run: string, { since, outlook }: Extract<Standing, { as: "awaiting_approval" }>): Reason {
  const common = { kind: "awaiting_approval", run, since, nextWake: null } as const;
  const refusal = outlook?.refusal ?? null;
  if (outlook?.isServed === true && refusal === null)
    return { ...common, what: `run ${run} was answered`, clears: "a server resumes it", command: null };
  const what = `run ${run} was answered${refusal === null ? "" : `, and a server could not resume it: ${refusal}`}`;
  return { ...common, what, clears: "somebody resumes it", command: `pawl resume ${run}` };
}

function asking(run: string, stands: Extract<Standing, { as: "awaiting_approval" }>): Reason {
  const { questions } = stands;
  const [first] = questions;
  const common = { kind: "awaiting_approval", run, nextWake: null } as const;
  if (first === undefined) return answered(run, stands);
  const more = questions.length > 1 ? ` (and ${questions.length - 1} more)` : "";
  return {
    ...common,
    what: `run ${run} asks at stage ${first.stage}${more}: ${first.why}`,
    since: first.askedAt,
    clears: first.expiresAt === null ? "an answer of a person" : "an answer of a person; without one it expires",
    command: `pawl approve ${first.id}`,
  };
}

type Awaiting = Extract<Standing, { readonly until: number | null }>;

function awaiting(run: string, { as, since, detail, until }: Awaiting): Reason {
  const what = as === "awaiting_budget" ? "budget" : "its quota";
  const common = { kind: as, run, what: `run ${run} waits for ${what}: ${detail}`, since } as const;
  if (until === null) return { ...common, clears: "a person raises the cap", command: "pawl budget", nextWake: null };
  const clears = "its time: the process that waits for it goes on then, and without one whoever resumes it";
  return { ...common, clears, command: `pawl resume ${run}`, nextWake: until };
}

/** No run is open: what keeps a next one from going, or how the last one ended. */
function idle({ loop, breakers, spent, held, last }: LoopFacts): Reason {
  const [breaker] = breakers;
  const [cap] = spent;
  if (held !== null) return heldBack(held, last);
  if (breaker !== undefined)
    return {
      kind: "breaker_open",
      run: last?.run ?? null,
      what: `the breaker of ${breaker.target} is open: ${breaker.why}`,
      since: breaker.since,
      clears: breaker.until === null ? "a person closes it" : "one trial is let through then, or a person closes it",
      command: `pawl breakers reset ${breaker.target}`,
      nextWake: breaker.until,
    };
  if (cap !== undefined)
    return {
      kind: "budget_spent",
      run: last?.run ?? null,
      what: `nothing is left of ${cap.cap}`,
      since: last?.at ?? null,
      clears: cap.freesAt === null ? "a person raises the cap" : "the cap frees",
      command: "pawl budget",
      nextWake: cap.freesAt,
    };
  return last === null
    ? { kind: "never_ran", run: null, what: "it never ran", since: null, ...startedBy(loop) }
    : ended(loop, last);
}

function heldBack({ kind, what, since }: HeldBack, last: EndedRun | null): Reason {
  const isLocked = kind === "path_lock";
  return {
    ...{ kind, what, since, run: last?.run ?? null, nextWake: null },
    clears: isLocked ? "that run ends, or its lease does" : "a person accepts or rejects one",
    command: isLocked ? null : "pawl merge --list",
  };
}

function ended(loop: string, { run, status, reason, at, stage, detail }: EndedRun): Reason {
  const isGood = status === "succeeded";
  const where = stage === null || isGood ? "" : ` at stage ${stage}`;
  const because = detail === null ? "" : `: ${detail}`;
  return {
    kind: isGood ? "finished" : "failed",
    run,
    what: isGood
      ? `the last run, ${run}, succeeded (${reason}); nothing is due`
      : `the last run, ${run}, ended as ${status} (${reason})${where}${because}; nothing is due`,
    since: at,
    ...startedBy(loop),
  };
}

function startedBy(loop: string): Pick<Reason, "clears" | "command" | "nextWake"> {
  return { clears: "somebody starts a run", command: `pawl run ${loop}`, nextWake: null };
}
