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
  /** A rule that would ask if something else allowed it. */
  readonly held?: CompiledRule;
  /** Why it is denied where no rule decided; without it, because no rule allows it. */
  readonly why?: string;
  /** Nobody can account for it: a rule with a wildcard does not allow it. */
  readonly isOpaque?: true;
  readonly shadow: readonly string[];
}

/** Collects every match when there is somebody to read them. */
export type Notes = { readonly rule: Rule; readonly request: PolicyRequest }[];

const NONE: readonly string[] = [];

export function judgeOne(policy: CompiledPolicy, request: PolicyRequest, notes: Notes | undefined): Finding {
  const asked: Asked = { request };
  const { by, held } = strongest(candidates(policy.rules, request), asked, notes);
  const effect = by?.rule.effect ?? "deny";
  const shadow = shadowOf(policy, asked, by, notes);
  return held === null ? { effect, by, request, shadow } : { effect, by, request, held, shadow };
}

export function unaccounted(request: PolicyRequest, why: string): Finding {
  return { effect: "deny", by: null, request, why, isOpaque: true, shadow: NONE };
}

/** The candidates stand in order of strictness, so the first that covers the request decides. */
function strongest(
  rules: readonly CompiledRule[],
  asked: Asked,
  notes: Notes | undefined,
): { readonly by: CompiledRule | null; readonly held: CompiledRule | null } {
  let by: CompiledRule | null = null;
  let held: CompiledRule | null = null;
  for (const compiled of rules) {
    if (!compiled.covers(asked)) continue;
    if (compiled.rule.tightens === true) held ??= compiled;
    else by ??= compiled;
    notes?.push({ rule: compiled.rule, request: asked.request });
    if (by !== null && notes === undefined) break;
  }
  return held !== null && by?.rule.effect === "allow" ? { by: held, held: null } : { by, held };
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
  return matching.filter(({ rule }) => differs(rule, by?.rule.effect)).map(({ rule }) => rule.id);
}

/** Would the rule have changed a decision of that effect? undefined: no rule decided. */
function differs({ effect, tightens }: Rule, decided: Effect | undefined): boolean {
  if (decided === undefined) return effect !== "deny" && tightens !== true;
  return (effect === "deny" && decided !== "deny") || (effect === "ask" && decided === "allow");
}
