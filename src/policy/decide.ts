/** The decision for one request. Default deny; of the rules that match, the strictest wins: deny, then ask, then allow. */
import type { CompiledPolicy } from "./compile.ts";
import { describeRequest } from "./describe.ts";
import { judge } from "./judge.ts";
import type { Finding, Notes } from "./judge-one.ts";
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

/** Names the first rule of the winning effect, or `default`, which denies what no rule mentions. */
export function decide(policy: CompiledPolicy, request: PolicyRequest): Decision {
  return toDecision(judge(policy, request, undefined));
}

export function explain(policy: CompiledPolicy, request: PolicyRequest): Explanation {
  const notes: Notes = [];
  const decision = toDecision(judge(policy, request, notes));
  return { decision, matches: notes.map(toMatch) };
}

function toDecision({ effect, by, request, why, shadow }: Finding): Decision {
  const rule = by?.rule;
  const id = rule?.id ?? "default";
  const where = rule?.where;
  const because =
    rule === undefined
      ? (why ?? `no rule allows: ${describeRequest(request)}`)
      : (rule.because ?? reason(rule, request));
  // Written out, because every stage of every run comes here.
  const decision = where === undefined ? { effect, rule: id, why: because } : { effect, rule: id, why: because, where };
  return shadow.length === 0 ? decision : { ...decision, shadow };
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
