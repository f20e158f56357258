/** What the actions of a tick do. The plan has frozen what they are given; what it does not fit is a failure of the stage. */
import { isPawlError } from "../../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { RUN_LOG } from "../../blueprint/dialects/loop-engineering/run-log.ts";
import { parseStateFile } from "../../blueprint/dialects/loop-engineering/state-file.ts";
import { pathsOf } from "../../loops/audit/rot.ts";
import { type Found, lookAround, refusalOf, type Triage } from "../../loops/ticks/found.ts";
import { outcomeOf, recordRun, recordState, TICK_ENDS, type TickRecord } from "../../loops/ticks/recorded.ts";
import type { ActionContext, ActionReport } from "../../ports/actions.ts";
import { MOCK_TOKENS, type TickParts } from "./tick-parts.ts";

const CONSTRAINTS = "loop-constraints.md";

type Name = "discover" | "admit" | "claim" | "record" | "mock_price";

export async function performTick(
  name: Name,
  parts: TickParts,
  given: JsonObject,
  context: ActionContext,
): Promise<ActionReport> {
  try {
    return await WORK[name](parts, given, context);
  } catch (error) {
    if (!isPawlError(error)) throw error;
    return { ok: false, error: error.message };
  }
}

type Work = (parts: TickParts, given: JsonObject, context: ActionContext) => Promise<ActionReport>;

const WORK: Readonly<Record<Name, Work>> = {
  async discover({ texts, spentToday, now, gone }, given, { level }) {
    const state = (await texts.read(textOf(given, "state"))) ?? "";
    const constraints = (await texts.read(CONSTRAINTS)) ?? "";
    const log = (await texts.read(RUN_LOG)) ?? "";
    const pattern = textOf(given, "pattern");
    const spent = await spentToday(pattern, level);
    const missing = await gone(pathsOf(parseStateFile(state)));
    const found = lookAround({ pattern, state, constraints, log }, spent, now(), missing);
    return { ok: true, output: found as unknown as JsonValue };
  },
  async admit(_parts, given) {
    const { halted } = foundIn(given);
    return halted === null ? { ok: true } : { ok: false, error: halted };
  },
  async claim({ texts }, given) {
    const state = (await texts.read(textOf(given, "state"))) ?? "";
    const refusal = refusalOf(foundIn(given), triageIn(given) as Triage, state);
    return refusal === null ? { ok: true } : { ok: false, error: refusal };
  },
  mock_price: async () => ({ ok: true, usage: { tokens: MOCK_TOKENS, microUsd: 0 } }),
  async record({ texts, project, now }, given, { run }) {
    const end = TICK_ENDS.find((each) => each === given["end"]);
    if (end === undefined) return { ok: false, error: "`end` is no end of a tick." };
    const record: TickRecord = {
      ...{ pattern: textOf(given, "pattern"), run, end, found: foundIn(given), triage: triageIn(given) },
      tokens: given["tokens"] as unknown as TickRecord["tokens"],
    };
    await texts.change(textOf(given, "state"), (text) => recordState(text, record, project));
    await texts.change(RUN_LOG, (text) => recordRun(text ?? "", record, now()));
    const { outcome, note } = outcomeOf(record);
    return { ok: true, output: { outcome, note } };
  },
};

function textOf(given: JsonObject, name: string): string {
  return String(given[name]);
}

function foundIn(given: JsonObject): Found {
  return given["found"] as unknown as Found;
}

function triageIn(given: JsonObject): Triage | null {
  const said = given["triage"];
  return isJsonObject(said) ? (said as unknown as Triage) : null;
}
