/** What a run stands on when nothing is given: safe, in memory, bounded. */
import { randomBytes, randomInt } from "node:crypto";
import { formatRunId, type RunId } from "../base/ids.ts";
import { SEALED_EXPRESSION } from "../plan/paths/sealed-names.ts";
import { compilePolicy } from "../policy/compile.ts";
import { decide } from "../policy/decide.ts";
import { decideCall } from "../policy/decide-call.ts";
import { type Decision, EFFECTS, type Effect, type Pattern, type Rule } from "../policy/rule.ts";
import { GUARD } from "../policy/shipped/guard.ts";
import type { Clock } from "../ports/clock.ts";
import { createMemoryJournal } from "./journal/memory-journal.ts";
import type { AgentBudget, AgentPolicy, AgentPorts, AgentRules } from "./ports.ts";
import type { ToolRisk } from "./tools/tool.ts";

/** The limits of the run are its budget. */
const OPEN_BUDGET: AgentBudget = { check: () => ({ ok: true }), commit: () => undefined };

const CLOCK: Clock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};

const DICE = 2 ** 32;

export function withDefaults(given: Partial<AgentPorts> = {}): AgentPorts {
  return {
    ...given,
    journal: given.journal ?? createMemoryJournal(),
    budget: given.budget ?? OPEN_BUDGET,
    clock: given.clock ?? CLOCK,
    chance: given.chance ?? (() => randomInt(DICE) / DICE),
  };
}

export function newRunId(): RunId {
  return formatRunId(randomBytes(12));
}

/** Rules, a policy of one's own, or nothing: then only what is of low risk, and never what the guard denies. */
export function policyFrom(given: AgentRules | AgentPolicy | undefined): AgentPolicy {
  if (given !== undefined && "decide" in given) return given;
  if (given !== undefined) return rulesPolicy(given);
  cautious ??= rulesPolicy({});
  return cautious;
}

let cautious: AgentPolicy | undefined;

function rulesPolicy({ allow = [], ask = [], deny = [] }: AgentRules): AgentPolicy {
  const rules = { allow, ask, deny };
  const own = EFFECTS.flatMap((effect) => rules[effect].map((pattern, at) => ruleOf(effect, pattern, at)));
  const policy = compilePolicy([...GUARD, SEALED, ...own]);
  return {
    decide(call, risk) {
      const { effect, why } = decideCall((request) => lenient(decide(policy, request), risk), call);
      if (effect === "allow") return { answer: "allow" };
      return { answer: effect === "ask" ? "defer" : "deny", why };
    },
  };
}

/** No wall stands around an agent that is started so: what one would seal is kept from its commands here. */
const SEALED: Rule = {
  id: "guard.edit-sealed",
  effect: "deny",
  because: "It belongs to git, to Pawl or to a tool, which runs what it says.",
  pattern: { edit: "{,/,../}**" },
  when: [{ field: "path", op: "matches", values: [SEALED_EXPRESSION] }],
  except: [{ field: "path", op: "matches", values: ["(^|/)[.]git/([^/]+/)*[^/]+[.]lock$"] }],
};

function ruleOf(effect: Effect, pattern: Pattern, at: number): Rule {
  return { id: `agent.${effect}[${at}]`, effect, pattern };
}

/** What no rule mentions is allowed to tools that only look. */
function lenient(decision: Decision, risk: ToolRisk): Decision {
  return decision.rule === "default" && risk === "low" ? { ...decision, effect: "allow" } : decision;
}
