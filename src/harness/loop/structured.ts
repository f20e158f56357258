/** The end of a talk: an answer without calls. One that has a schema to fit is told once when it does not. */
import { pawlError } from "../../base/errors.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import { checkJson } from "../models/check-json.ts";
import { stopOf, wordsOf } from "./endings.ts";
import type { Ending, Session, Setting } from "./session.ts";
import { takeTurn } from "./turn.ts";

export async function finish(session: Session, setting: Setting): Promise<Ending> {
  const output = wordsOf(session);
  if (setting.schema === null) return { status: "completed", output, error: null };
  const first = checkJson(setting.schema, output);
  if (first.ok) return { status: "completed", output, value: first.value, error: null };
  const stopped = stopOf(session, setting);
  if (stopped !== null) return stopped;
  const text = `That does not fit: ${first.problem}. Answer again, with JSON that fits the schema and nothing else.`;
  await session.chronicle.write({ type: "user.said", by: "repair", text });
  const ended = await takeTurn(session, setting);
  if (ended !== null) return ended;
  const again = checkJson(setting.schema, wordsOf(session));
  if (again.ok) return { status: "completed", output: wordsOf(session), value: again.value, error: null };
  const error = pawlError(HARNESS_ERRORS, "HARNESS_OUTPUT_INVALID", { problem: again.problem });
  return { status: "invalid_output", output: wordsOf(session), error };
}
