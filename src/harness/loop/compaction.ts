/** Before a turn: a talk that has grown too long is summed up. When that fails, it goes on as it is. */
import type { ToolAnswer } from "../tools/tool.ts";
import { type Cut, digestOf, findCut, isShorter, putOff, SUMMARY_SYSTEM } from "../transcript/compact.ts";
import { askBeside } from "./beside.ts";
import type { Session, Setting } from "./session.ts";

/** Which part of what the model can read the summariser is given, in bytes a token. */
const SHARE = 2;
/** The longest a summary may take, and never more than this part of what the run has left. */
const LONGEST_MS = 120_000;
const PART = 0.1;

export async function compactTalk(session: Session, setting: Setting): Promise<void> {
  const { chronicle, compaction, agent } = session;
  const { talk } = chronicle.state;
  const cut = talk === null ? null : findCut(talk, compaction);
  if (talk === null || cut === null) return;
  const prompt = digestOf(talk, cut, compaction.contextTokens * SHARE);
  const answer = await summaryOf(session, setting, prompt);
  const problem = answer.ok
    ? problemOf(answer.text, isShorter(talk, cut, answer.text, agent.rules ?? ""))
    : answer.error;
  if (answer.ok && problem === null) {
    await chronicle.write({ type: "talk.compacted", ...(cut satisfies Cut), summary: answer.text });
    return;
  }
  putOff(talk);
  await chronicle.note("compaction_failed", problem ?? "");
}

function problemOf(summary: string, isShort: boolean): string | null {
  if (summary.trim() === "") return "the summary is empty";
  return isShort ? null : "the summary is longer than what it sums up";
}

/** A talk can go on without it: who sums up and does not answer has not the time of the whole run. */
async function summaryOf(session: Session, setting: Setting, prompt: string): Promise<ToolAnswer> {
  const { halt, ports } = session;
  const late = new AbortController();
  const callOff = ports.clock.after(Math.min(LONGEST_MS, halt.leftMs() * PART), () => late.abort("timeout"));
  const question = { what: "summary", system: SUMMARY_SYSTEM, prompt };
  try {
    return await askBeside(session, setting, question, AbortSignal.any([halt.signal, late.signal]));
  } finally {
    callOff();
  }
}
