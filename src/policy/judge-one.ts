/** The rules about exactly one request, whatever it is made of. */
import type { Asked } from "./asked.ts";
import { type CompiledPolicy, type CompiledRule, candidates } from "./compile.ts";
import type { PolicyRequest } from "./request.ts";
import type { Effect, Rule } from "./rule.ts";

/** What one request, or a part of one, came to. */
export interface Finding {
  readonly effect: Effect;
  /** null: no rule decided. */
  readonly by: CompiledRule | null;
  readonly request: PolicyRequest;
  /** The rule that allows it, where one that only tightens asks instead. */
  readonly over?: CompiledRule | undefined;
  /** A rule that would ask if something else allowed it. */
  readonly held?: CompiledRule | undefined;
  /** What that rule would ask about, if it is another part. */
  readonly heldAbout?: PolicyRequest;
  /** Why it is denied where no rule decided; without it, because no rule allows it. */
  readonly why?: string;
  /** Nobody can account for it: a rule with a wildcard does not allow it. */
  readonly isOpaque?: true;
  /** Nor does one that covers whatever comes. */
  readonly isFinal?: true;
  readonly shadow: readonly string[];
}

/** Collects every match when there is somebody to read them. */
export type Notes = { readonly rule: Rule; readonly request: PolicyRequest }[];

const NONE: readonly string[] = [];

/** One call of `judge`. */
export interface Session {
  readonly policy: CompiledPolicy;
  readonly notes: Notes | undefined;
  readonly depth: number;
  /** What is judged is part of something that a rule names as a whole. */
  readonly isVouched: boolean;
  /** How many guesses lie around it: each may hold others. */
  readonly guesses: number;
  /** It is a word behind a program that nobody has described, so what it may start in turn is not guessed as well. */
  readonly isSuspected: boolean;
}

export function judgeOne(
  { policy, notes, isVouched }: Omit<Session, "guesses" | "isSuspected">,
  request: PolicyRequest,
): Finding {
  const asked: Asked = { request, isVouched };
  const { by, over, held } = strongest(candidates(policy.rules, request), asked, notes);
  const effect = by?.rule.effect ?? "deny";
  // Every member is written out: joining objects of many shapes costs more than all the rules.
  return { effect, by, request, over, held, shadow: shadowOf(policy, asked, by, notes) };
}

export function unaccounted(request: PolicyRequest, why: string): Finding {
  return { effect: "deny", by: null, request, why, isOpaque: true, shadow: NONE };
}

/** The candidates stand in order of strictness, so the first that covers the request decides. */
function strongest(
  rules: readonly CompiledRule[],
  asked: Asked,
  notes: Notes | undefined,
): Pick<Finding, "by" | "over" | "held"> {
  let by: CompiledRule | null = null;
  let held: CompiledRule | null = null;
  for (const compiled of rules) {
    if (!compiled.covers(asked)) continue;
    if (compiled.rule.tightens === true) held ??= compiled;
    else by ??= compiled;
    notes?.push({ rule: compiled.rule, request: asked.request });
    if (by !== null && notes === undefined) break;
  }
  if (held === null) return { by, over: undefined, held: undefined };
  return by?.rule.effect === "allow" ? { by: held, over: by, held: undefined } : { by, over: undefined, held };
}

/** Shadow rules with which the decision would have been another one. */
function shadowOf(
  policy: CompiledPolicy,
  asked: Asked,
  by: CompiledRule | null,
  notes: Notes | undefined,
): readonly string[] {
  if (policy.shadow === undefined) return NONE;
  const matching = candidates(policy.shadow, asked.request).filter((compiled) => compiled.covers(asked));
  notes?.push(...matching.map(({ rule }) => ({ rule, request: asked.request })));
  return matching.filter(({ rule }) => differs(rule, by?.rule)).map(({ rule }) => rule.id);
}

/** Would the rule have changed what that one decided? undefined: no rule decided. */
function differs({ effect, tightens, yields }: Rule, decided: Rule | undefined): boolean {
  if (decided === undefined) return effect !== "deny" && tightens !== true;
  if (yields === true) return false;
  if (decided.yields === true) return effect !== "ask";
  return (effect === "deny" && decided.effect !== "deny") || (effect === "ask" && decided.effect === "allow");
}
