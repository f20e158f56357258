/** Approvals: every question of a run and what became of it. A fold of its events, and of nothing else. */
import type { JsonObject } from "../../base/json.ts";
import type { EventOf, QuestionKind, RunEvent } from "../events.ts";

/**
 *   pending ─▶ approved | denied     a person has answered
 *           ─▶ expired               nobody did in time
 *           ─▶ cancelled             the run went its way without an answer
 */
export const APPROVAL_STATUSES = ["pending", "approved", "denied", "expired", "cancelled"] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export interface Approval {
  readonly id: string;
  readonly run: string;
  readonly blueprint: string;
  readonly plan: string;
  readonly policy: string;
  readonly stage: string;
  readonly visit: number;
  readonly kind: QuestionKind;
  readonly status: ApprovalStatus;
  readonly why: string;
  readonly answers: readonly string[];
  readonly digest: string;
  /** Exactly what would happen, or what the gate is given to judge. */
  readonly request: JsonObject | null;
  readonly rule: string | null;
  /** What the run started from, and the tree that the question is about. */
  readonly base: string | null;
  readonly commit: string | null;
  readonly askedAt: number;
  readonly expiresAt: number | null;
  readonly remindAt: number | null;
  readonly remindedAt: number | null;
  /** When it was answered, expired or became pointless. */
  readonly closedAt: number | null;
  readonly answer: { readonly answer: string; readonly by: string; readonly why: string | null } | null;
}

/** In the order asked. */
export function approvalsOf(events: Iterable<RunEvent>): readonly Approval[] {
  const all: Approval[] = [];
  let created: EventOf<"run.created"> | null = null;
  const change = (isMeant: (each: Approval) => boolean, to: Partial<Approval>): void => {
    for (const [index, each] of all.entries())
      if (each.status === "pending" && isMeant(each)) all[index] = { ...each, ...to };
  };
  for (const event of events) {
    switch (event.type) {
      case "run.created":
        created = event;
        break;
      case "approval.requested":
        // Asked again about another content: nobody needs an answer to the first.
        change(({ stage }) => stage === event.stage, { status: "cancelled", closedAt: event.at });
        if (created !== null) all.push(asked(created, event));
        break;
      case "approval.answered":
        change(({ id }) => id === event.id, closedBy(event));
        break;
      case "approval.reminded":
        change(({ id }) => id === event.id, { remindedAt: event.at });
        break;
      case "approval.expired":
        change(({ id }) => id === event.id, { status: "expired", closedAt: event.at });
        break;
      case "group.closed":
        change(({ stage }) => isMemberOf(stage, event.stage), { status: "cancelled", closedAt: event.at });
        break;
      case "run.finished":
        change(() => true, { status: "cancelled", closedAt: event.at });
        break;
      default:
    }
  }
  return all;
}

/** As it is asked; nobody has answered it. */
export function asked(created: EventOf<"run.created">, event: EventOf<"approval.requested">): Approval {
  const { id, stage, visit, kind, why, answers, digest, policy } = event;
  return {
    id,
    run: created.run,
    blueprint: created.blueprint,
    plan: created.plan,
    policy,
    stage,
    visit,
    kind,
    status: "pending",
    why,
    answers,
    digest,
    request: event.request ?? null,
    rule: event.rule ?? null,
    base: created.tree ?? null,
    commit: event.commit ?? null,
    askedAt: event.at,
    expiresAt: event.expiresAt ?? null,
    remindAt: event.remindAt ?? null,
    remindedAt: null,
    closedAt: null,
    answer: null,
  };
}

function closedBy({ answer, by, why, at }: EventOf<"approval.answered">): Partial<Approval> {
  const isRefused = answer === "deny" || answer === "failed";
  return {
    status: isRefused ? "denied" : "approved",
    closedAt: at,
    answer: { answer, by, why: why ?? null },
  };
}

export function isMemberOf(stage: string, group: string): boolean {
  return stage.startsWith(`${group}.`) || stage.startsWith(`${group}[`);
}
