/**
 * The calls of one answer, one after the other. What must not be repeated is durable as an intent before it begins; whether an
 * interrupted one has happened nobody knows, so it is told and not repeated.
 */
import { sha256Short } from "../../base/digest.ts";
import { canonical, type JsonValue } from "../../base/json.ts";
import { quietly } from "../journal/chronicle.ts";
import type { OpenCall } from "../journal/state.ts";
import { inputOf } from "../models/model.ts";
import type { ToolOutcome } from "../tools/outcome.ts";
import { deferredEnding, haltEnding, stopOf } from "./endings.ts";
import { tellCall } from "./hooks.ts";
import type { Ending, Session, Setting } from "./session.ts";

const INTERRUPTED =
  "This call was interrupted: it may have happened or not, and was not repeated. Find out which before you call it again.";

/** null: every call has a result. */
export async function performCalls(session: Session, setting: Setting): Promise<Ending | null> {
  for (const open of session.chronicle.state.open) {
    if (open.ended !== null) continue;
    const stopped = callStop(session, setting);
    if (stopped !== null) return stopped;
    const ended = await perform(session, setting, open);
    if (ended !== null) return ended;
  }
  return null;
}

/** The turn has begun: it is not stopped by the number of turns. */
function callStop(session: Session, setting: Setting): Ending | null {
  const stopped = stopOf(session, setting);
  return stopped?.status === "max_turns" ? null : stopped;
}

async function perform(session: Session, setting: Setting, open: OpenCall): Promise<Ending | null> {
  const { call, seq } = open;
  const { chronicle, ports, halt } = session;
  const { desk } = setting;
  const input = (inputOf(call.text) ?? call.text) as JsonValue;
  const key = callKey(session, call.tool, input, seq);
  setting.meter.addCall();
  if (open.isIntended && desk.find(call.tool)?.idempotent !== true) {
    await chronicle.note("call_interrupted", `${call.tool} ${call.id}`);
    await chronicle.write({
      type: "call.ended",
      seq,
      id: call.id,
      tool: call.tool,
      key,
      ok: false,
      output: INTERRUPTED,
    });
    return null;
  }
  const outcome = await desk.call({ seq, id: call.id, tool: call.tool, input, key }, halt.signal);
  // What was not ruled on in time is asked again by whoever goes on.
  const isUnruled = outcome.status === "denied" && halt.cause() !== null;
  if (outcome.status === "cancelled" || isUnruled) return haltEnding(session);
  if (outcome.status === "deferred") return deferredEnding(session, desk.asked(), outcome.error);
  const ok = outcome.status === "success";
  const output = toldOf(outcome);
  await chronicle.write({ type: "call.ended", seq, id: call.id, tool: call.tool, key, ok, output });
  quietly(() => ports.observer?.onResult?.({ id: call.id, ok, output }));
  const asked = desk.asked();
  if (asked !== null) await tellCall(session, asked, { ok, output });
  return null;
}

function toldOf(outcome: ToolOutcome): JsonValue {
  if (outcome.status !== "success") return outcome.error;
  const { output, artifacts } = outcome;
  return artifacts.length === 0 ? output : { output, artifacts: artifacts.map(({ name }) => name) };
}

const VERSION = 1;

/** Two equal calls of a run have two keys; every try of one call has the same. */
function callKey({ run, chronicle }: Session, tool: string, input: JsonValue, seq: number): string {
  return sha256Short(canonical([VERSION, run, chronicle.state.phase, tool, input, seq]));
}
