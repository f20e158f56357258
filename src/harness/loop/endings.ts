/** The ways in which a talk ends without an answer. Each keeps what was said so far. */
import { pawlError } from "../../base/errors.ts";
import type { ToolCall } from "../../ports/agents/agent-backend.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import type { Bound } from "../meter.ts";
import { lastWords } from "../transcript/talk.ts";
import type { Ending, Session, Setting } from "./session.ts";

/** Why the talk cannot go on; null: it can. */
export function stopOf(session: Session, setting: Setting): Ending | null {
  if (session.halt.cause() !== null) return haltEnding(session);
  const bound = setting.meter.reached();
  return bound === null ? null : boundEnding(session, setting, bound);
}

export function haltEnding(session: Session): Ending {
  const { halt } = session;
  const output = wordsOf(session);
  switch (halt.cause()) {
    case "killed":
      return { status: "killed", output, error: pawlError(HARNESS_ERRORS, "HARNESS_RUN_KILLED", { why: halt.why() }) };
    case "timeout": {
      const facts = { limit: "milliseconds", value: halt.elapsedMs() };
      return { status: "timeout", output, error: pawlError(HARNESS_ERRORS, "HARNESS_LIMIT_REACHED", facts) };
    }
    default:
      return { status: "cancelled", output, error: pawlError(HARNESS_ERRORS, "HARNESS_RUN_CANCELLED", {}) };
  }
}

const LIMITS = {
  max_turns: ["turns", "turns"],
  max_tool_calls: ["tool calls", "toolCalls"],
  max_tokens: ["tokens", "tokens"],
  max_usd: ["dollars", "usd"],
} as const satisfies Record<Bound, readonly [string, string]>;

export function boundEnding(session: Session, { meter }: Pick<Setting, "meter">, bound: Bound): Ending {
  const [limit, name] = LIMITS[bound];
  const facts = { limit, value: meter.limits[name] };
  const error = pawlError(HARNESS_ERRORS, "HARNESS_LIMIT_REACHED", facts);
  return { status: bound, output: wordsOf(session), error };
}

export function failedEnding(session: Session, error: NonNullable<Ending["error"]>): Ending {
  return { status: "failed", output: wordsOf(session), error };
}

export function loopEnding(session: Session, why: string): Ending {
  const error = pawlError(HARNESS_ERRORS, "HARNESS_TOOLS_LOOPING", { why });
  return { status: "tool_loop", output: wordsOf(session), error };
}

export function deferredEnding(session: Session, call: ToolCall | null, why: string): Ending {
  const error = pawlError(HARNESS_ERRORS, "HARNESS_CALL_DEFERRED", { tool: call?.tool ?? "a tool", why });
  return { status: "deferred", output: wordsOf(session), error, ...(call === null ? {} : { deferred: call }) };
}

export function wordsOf({ chronicle }: Session): string {
  const { talk } = chronicle.state;
  return talk === null ? "" : lastWords(talk);
}
