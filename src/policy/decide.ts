/** The decision for one request. Default deny; of the rules that match, the strictest wins: deny, then ask, then allow. */
import type { Asked } from "./asked.ts";
import { type CompiledPolicy, type CompiledRule, candidates } from "./compile.ts";
import { describeRequest } from "./describe.ts";
import type { PolicyRequest } from "./request.ts";
import { type Decision, type Effect, layerOf, type Rule } from "./rule.ts";

/** A rule that matched, for people. */
export interface Match {
  readonly rule: string;
  readonly effect: Effect;
  readonly layer: string;
  readonly because?: string;
  readonly where?: string;
  readonly shadow?: true;
  /** What it matched: the request, or a part of it. */
  readonly about: string;
}

export interface Explanation {
  readonly decision: Decision;
  /** Every rule that matched, the one that decided included. */
  readonly matches: readonly Match[];
}

/** What one request, or a part of one, came to. */
export interface Finding {
  readonly effect: Effect;
  /** null: no rule decided. */
  readonly by: CompiledRule | null;
  readonly request: PolicyRequest;
  /** Why it is denied where no rule decided; without it, because no rule allows it. */
  readonly why?: string;
  readonly shadow: readonly string[];
}

/** Collects every match when there is somebody to read them. */
export type Notes = { readonly rule: Rule; readonly request: PolicyRequest }[];

const NONE: readonly string[] = [];

/** Names the first rule of the winning effect, or `default`, which denies what no rule mentions. */
export function decide(policy: CompiledPolicy, request: PolicyRequest): Decision {
  return toDecision(judge(policy, request, undefined));
}

export function explain(policy: CompiledPolicy, request: PolicyRequest): Explanation {
  const notes: Notes = [];
  const decision = toDecision(judge(policy, request, notes));
  return { decision, matches: notes.map(toMatch) };
}

function judge(policy: CompiledPolicy, request: PolicyRequest, notes: Notes | undefined): Finding {
  return judgeOne(policy, request, notes);
}

/** The rules about exactly this request, whatever it is made of. */
function judgeOne(policy: CompiledPolicy, request: PolicyRequest, notes: Notes | undefined): Finding {
  if (request.kind === "run" && (request.argv[0] ?? "") === "") {
    return denied(request, "an argument list without a program starts nothing");
  }
  const asked: Asked = { request };
  const by = strongest(candidates(policy.rules, request), asked, notes);
  const effect = by?.rule.effect ?? "deny";
  return { effect, by, request, shadow: shadowOf(policy, asked, by, notes) };
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

function denied(request: PolicyRequest, why: string): Finding {
  return { effect: "deny", by: null, request, why, shadow: NONE };
}

function toDecision({ effect, by, request, why, shadow }: Finding): Decision {
  const seen = shadow.length === 0 ? undefined : { shadow };
  if (by === null)
    return { effect, rule: "default", why: why ?? `no rule allows: ${describeRequest(request)}`, ...seen };
  const { rule } = by;
  return {
    effect,
    rule: rule.id,
    why: rule.because ?? reason(rule, request),
    ...(rule.where === undefined ? undefined : { where: rule.where }),
    ...seen,
  };
}

function reason({ id, effect }: Rule, request: PolicyRequest): string {
  // Nobody is asked about what is allowed: only a question or a refusal says what it is about.
  if (effect === "allow") return `rule ${id} allows it`;
  return `rule ${id} ${effect === "deny" ? "denies" : "asks a person about"}: ${describeRequest(request)}`;
}

function toMatch({ rule, request }: Notes[number]): Match {
  const { id, effect, because, where, shadow } = rule;
  return {
    rule: id,
    effect,
    layer: layerOf(rule),
    ...(because === undefined ? {} : { because }),
    ...(where === undefined ? {} : { where }),
    ...(shadow === undefined ? {} : { shadow }),
    about: describeRequest(request),
  };
}
