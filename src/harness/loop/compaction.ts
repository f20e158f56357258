/** Before a turn: a talk that has grown too long is summed up. When that fails, it goes on as it is. */
import { type Cut, digestOf, findCut, putOff, SUMMARY_SYSTEM } from "../transcript/compact.ts";
import { askBeside } from "./beside.ts";
import type { Session, Setting } from "./session.ts";

/** Which part of what the model can read the summariser is given, in bytes a token. */
const SHARE = 2;

export async function compactTalk(session: Session, setting: Setting): Promise<void> {
  const { chronicle, compaction, halt } = session;
  const { talk } = chronicle.state;
  const cut = talk === null ? null : findCut(talk, compaction);
  if (talk === null || cut === null) return;
  const prompt = digestOf(talk, cut, compaction.contextTokens * SHARE);
  const question = { what: "summary", system: SUMMARY_SYSTEM, prompt };
  const answer = await askBeside(session, setting, question, halt.signal);
  if (answer.ok && answer.text.trim() !== "") {
    await chronicle.write({ type: "talk.compacted", ...(cut satisfies Cut), summary: answer.text });
    return;
  }
  putOff(talk);
  await chronicle.note("compaction_failed", answer.ok ? "the summary is empty" : answer.error);
}
