/** The law of approvals, judged from the journal alone. */
import type { EventOf, RunEvent } from "../../src/run/events.ts";

type Asked = EventOf<"approval.requested">;

/** What is known of the questions at one moment of the journal. */
interface Ledger {
  readonly open: Map<string, Asked>;
  /** The newest question of each stage, and the digests that a person allowed there and that nothing has used. */
  readonly newest: Map<string, Asked>;
  readonly granted: Set<string>;
  readonly isApproval: (stage: string) => boolean;
}

/** Nothing passes an approval gate without an answer that names its digest; what has expired or was used never counts. */
export function approvalLaw(events: readonly RunEvent[], isApproval: (stage: string) => boolean): string | null {
  const ledger: Ledger = { open: new Map(), newest: new Map(), granted: new Set(), isApproval };
  for (const event of events) {
    const broken = judge(ledger, event);
    if (broken !== null) return broken;
  }
  return null;
}

function judge(ledger: Ledger, event: RunEvent): string | null {
  switch (event.type) {
    case "approval.requested":
      ledger.open.set(event.id, event);
      ledger.newest.set(event.stage, event);
      return null;
    case "approval.expired":
      return judgeExpiry(ledger, event);
    case "approval.answered":
      return judgeAnswer(ledger, event);
    case "stage.finished":
      return ledger.isApproval(event.stage) ? judgeVerdict(ledger, event) : null;
    default:
      return null;
  }
}

function judgeExpiry({ open }: Ledger, event: EventOf<"approval.expired">): string | null {
  const asked = open.get(event.id);
  open.delete(event.id);
  return asked?.expiresAt === undefined || event.at < asked.expiresAt ? `${event.id} expired too early` : null;
}

function judgeAnswer({ open, granted }: Ledger, event: EventOf<"approval.answered">): string | null {
  const asked = open.get(event.id);
  open.delete(event.id);
  if (asked === undefined) return `${event.id} was answered and is not open`;
  if (asked.digest !== event.digest || asked.stage !== event.stage) return `${event.id} was answered for another`;
  if (event.answer === "approve") granted.add(`${event.stage} ${event.digest}`);
  return asked.expiresAt !== undefined && event.at >= asked.expiresAt ? `${event.id} was answered too late` : null;
}

function judgeVerdict({ newest, granted }: Ledger, event: EventOf<"stage.finished">): string | null {
  if (event.outcome !== "pass") return null;
  const digest = newest.get(event.stage)?.digest ?? "";
  return granted.delete(`${event.stage} ${digest}`) ? null : `"${event.stage}" passed unasked`;
}
