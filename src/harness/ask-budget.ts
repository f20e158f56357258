/** The question to a budget: whoever fails or does not answer has granted nothing, and what is granted too late is given back. */
import { type PawlError, pawlError } from "../base/errors.ts";
import { isJsonObject } from "../base/json.ts";
import { HARNESS_ERRORS } from "../ports/errors/harness-errors.ts";
import { NOTHING_USED } from "./agent.ts";
import { askedBy } from "./halt.ts";
import { quietly } from "./journal/chronicle.ts";
import { orAborted, orLate } from "./patience.ts";
import type { AgentPorts, BudgetAnswer, BudgetRequest } from "./ports.ts";

/** Nobody waits longer for a budget, nor longer than the run may take. */
const MOST_MS = 5 * 60_000;

type Answer =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: "rejected" | "killed" | "cancelled"; readonly error: PawlError };

export async function askBudget(
  { budget, clock }: Pick<AgentPorts, "budget" | "clock">,
  asked: BudgetRequest,
  callers: readonly AbortSignal[],
): Promise<Answer> {
  const stop = new AbortController();
  const heed = (): void => (askedBy(callers) === null ? undefined : stop.abort());
  for (const caller of callers) caller.addEventListener("abort", heed);
  let isAwaited = true;
  const check = async (): Promise<BudgetAnswer> => {
    const answer = read(await budget.check(asked));
    if (answer.ok && !isAwaited) quietly(() => budget.commit(asked.run, NOTHING_USED));
    return answer;
  };
  try {
    const waited = orLate(check(), clock, Math.min(MOST_MS, asked.limits.wallMs));
    const answer = await orAborted(waited, stop.signal);
    return answer.ok ? answer : rejected(answer.why);
  } catch (error) {
    return stop.signal.aborted ? stopped(callers) : rejected(error instanceof Error ? error.message : String(error));
  } finally {
    isAwaited = false;
    for (const caller of callers) caller.removeEventListener("abort", heed);
  }
}

function read(answer: unknown): BudgetAnswer {
  if (isJsonObject(answer) && answer["ok"] === true) return { ok: true };
  return { ok: false, why: isJsonObject(answer) ? String(answer["why"]) : "it gave no answer" };
}

function rejected(why: string): Answer {
  return { ok: false, status: "rejected", error: pawlError(HARNESS_ERRORS, "HARNESS_BUDGET_REJECTED", { why }) };
}

function stopped(callers: readonly AbortSignal[]): Answer {
  if (askedBy(callers) === "cancelled")
    return { ok: false, status: "cancelled", error: pawlError(HARNESS_ERRORS, "HARNESS_RUN_CANCELLED", {}) };
  const facts = { why: "its kill switch was pressed" };
  return { ok: false, status: "killed", error: pawlError(HARNESS_ERRORS, "HARNESS_RUN_KILLED", facts) };
}
