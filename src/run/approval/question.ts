/** Questions: what a person is asked, bound to exact content. Whatever of it changes, an answer does not fit any more. */
import { sha256 } from "../../base/digest.ts";
import { canonical, type JsonObject } from "../../base/json.ts";
import type { Plan } from "../../plan/plan.ts";
import type { EventOf, Fact, QuestionKind } from "../events.ts";
import { contentOf } from "../plan-index.ts";
import type { Lane, RunFacts } from "../state.ts";

/** What an answer is about: this tree, this stage, this attempt of this visit, exactly this request. */
export interface Subject {
  readonly place: Pick<Lane, "path" | "visit" | "tree"> & { readonly attempt: number };
  readonly request: JsonObject | null;
}

export interface Asking extends Subject {
  readonly kind: QuestionKind;
  readonly why: string;
  readonly answers: readonly string[];
  /** The rule that asks; the answer can then hold for the whole run. */
  readonly rule?: string;
  readonly expiresMs?: number;
  readonly remindMs?: number | null;
}

/** How long a question of policy stays open. */
export const QUESTION_MS = 86_400_000;
const ID_DIGITS = 16;

/** What a person allows: this plan, these rules, this run, and the subject. Another attempt needs another answer. */
export function approvalDigest(plan: Plan, { origin }: RunFacts, subject: Subject): string {
  const { path: stage, visit, attempt, tree: commit } = subject.place;
  const { request } = subject;
  const place = { run: origin, commit, stage, visit, attempt };
  return sha256(canonical({ plan: contentOf(plan), policy: plan.policy, ...place, request }));
}

/** The same request under the same rule, at any place of the run. */
export function approvalScope(plan: Plan, facts: RunFacts, rule: string, request: JsonObject): string {
  return sha256(canonical({ plan: contentOf(plan), policy: plan.policy, run: facts.origin, rule, request }));
}

/** The id of a question names its run, so that whoever has the id finds it, and is long enough that none is made to fit. */
function idOf(origin: string, digest: string): string {
  return `${origin.replace(/^r_/, "")}-${digest.slice(0, ID_DIGITS)}`;
}

/** The beginning of the id of the run in which a question with this id, or beginning of one, was asked. */
export function runOfId(id: string): string {
  return `r_${id.replace(/-.*$/s, "")}`;
}

export function ask(plan: Plan, facts: RunFacts, asking: Asking, now: number): Fact {
  const { kind, why, answers, request, rule, expiresMs, remindMs = null, place } = asking;
  const digest = approvalDigest(plan, facts, asking);
  const fact: Omit<EventOf<"approval.requested">, "at"> = {
    type: "approval.requested",
    stage: place.path,
    visit: place.visit,
    kind,
    id: idOf(facts.origin, digest),
    digest,
    why,
    answers,
    policy: plan.policy,
    ...(request === null ? {} : { request }),
    ...(place.tree === null ? {} : { commit: place.tree }),
    ...(rule === undefined || request === null ? {} : { rule, scope: approvalScope(plan, facts, rule, request) }),
    ...(expiresMs === undefined ? {} : { expiresAt: now + expiresMs }),
    ...(remindMs === null ? {} : { remindAt: now + remindMs }),
  };
  return fact;
}
