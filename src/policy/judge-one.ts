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
  const by = strongest(candidates(policy.rules, request), asked, notes);
  const effect = by?.rule.effect ?? "deny";
  return { effect, by, request, shadow: shadowOf(policy, asked, by, notes) };
}

export function unaccounted(request: PolicyRequest, why: string): Finding {
  return { effect: "deny", by: null, request, why, isOpaque: true, shadow: NONE };
}

/** The candidates stand in order of strictness, so the first that covers the request decides. */
function strongest(rules: readonly CompiledRule[], asked: Asked, notes: Notes | undefined): CompiledRule | null {
  let first: CompiledRule | null = null;
  for (const compiled of rules) {
    if (!compiled.covers(asked)) continue;
    first ??= compiled;
    if (notes === undefined) return first;
    notes.push({ rule: compiled.rule, request: asked.request });
  }
  return first;
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
  return matching.filter(({ rule }) => differs(rule.effect, by?.rule.effect)).map(({ rule }) => rule.id);
}

/** Would a rule of this effect have changed a decision by that one? undefined: no rule decided. */
function differs(effect: Effect, decided: Effect | undefined): boolean {
  if (decided === undefined) return effect !== "deny";
  return (effect === "deny" && decided !== "deny") || (effect === "ask" && decided === "allow");
}
