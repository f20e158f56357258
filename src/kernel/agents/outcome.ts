/** What the report of a backend makes of its stage. Only its own terminal word completes, and only an answer that fits counts. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { readJson } from "../../base/schema/read-json.ts";
import { readSchema } from "../../base/schema/schema.ts";
import type { AgentStage } from "../../plan/plan.ts";
import type { AgentOutcome, AgentReport } from "../../ports/agents/agent-backend.ts";
import { type Finished, failure } from "../flight.ts";
import { answerSchema } from "./prompt.ts";

const LASTING: ReadonlySet<string> = new Set(["auth", "billing"]);
const LONGEST_TEXT = 16_384;

/** Ends that the process itself tells better than its agent. */
const BY_PROCESS: ReadonlySet<string> = new Set(["timeout", "stall", "oom", "resource", "spawn_error"]);

/** `isLate`: the time of the stage was over. */
export function finishedBy(stage: AgentStage, report: AgentReport, isLate: boolean): Finished {
  const { process, session } = report;
  const facts =
    process === undefined
      ? {}
      : {
          ...{ exit: process.exit, signal: process.signal, log: process.log, used: process.used },
          ...{ refused: process.refused, stripped: process.stripped },
        };
  const end = endOf(stage, report, isLate);
  return { ...facts, ...end, ...(session === null ? {} : { session }) };
}

function endOf(stage: AgentStage, report: AgentReport, isLate: boolean): Finished {
  const { outcome, process } = report;
  if (outcome.kind === "completed") return answerOf(stage, report);
  // Who was refused for now has not taken too long: its time went into waiting.
  if (outcome.kind === "failed" && outcome.why === "rate_limited") return endedBy(outcome);
  if (isLate) return failure("timeout", `the agent took longer than ${stage.timeoutMs} ms`);
  if (process !== undefined && BY_PROCESS.has(process.cause)) {
    const told = outcome.kind === "failed" ? outcome.error : "the agent was ended";
    return failure(process.cause, process.error ?? told);
  }
  const ended = endedBy(outcome);
  // What it still said when it was asked to end is kept; nothing follows from it.
  return outcome.kind === "cancelled" && report.output !== undefined ? { ...ended, output: report.output } : ended;
}

function endedBy(outcome: Exclude<AgentOutcome, { kind: "completed" }>): Finished {
  switch (outcome.kind) {
    case "failed":
      // Neither a key nor money comes by trying again.
      return failure(LASTING.has(outcome.why) ? "auth" : "agent", cut(`${outcome.why}: ${outcome.error}`));
    case "denied":
      return failure("denied", cut(outcome.error));
    case "budget":
      return failure("budget", cut(outcome.error));
    case "cancelled":
      return failure("killed", "the agent was ended");
    case "deferred":
      return failure("agent", `a person must allow ${outcome.call.tool}`);
  }
}

/** An answer that does not fit is a reject where that is an answer: who cannot say yes has not said it. */
function answerOf({ agent }: AgentStage, report: AgentReport): Finished {
  const { outcomes, schema: written } = agent;
  const schema = answerSchema(outcomes, written);
  if (schema === null) return { outcome: "success", cause: "ok", output: report.output ?? cut(report.text) };
  const answer = report.output ?? lastJson(report.text);
  const problem = answer === undefined ? "it is no JSON" : problemOf(schema, answer);
  if (problem === null) {
    const outcome = outcomes.length === 0 ? "success" : String((answer as JsonObject)["outcome"]);
    return { outcome, cause: "ok", output: answer };
  }
  const error = `the answer of the agent does not fit: ${problem}`;
  const failed = { ...failure("invalid_output", error), output: cut(report.text) };
  return outcomes.includes("reject") ? { ...failed, outcome: "reject" } : failed;
}

function problemOf(schema: JsonObject, answer: JsonValue): string | null {
  const read = readSchema(schema);
  if (!read.ok) return `its schema cannot be read: ${read.problem}`;
  return read.schema.problems(answer)[0] ?? null;
}

/** The last line of the text that is JSON of an object; one block of code around it does not matter. */
function lastJson(text: string): JsonValue | undefined {
  const lines = text
    .trim()
    .replace(/\n?```$/, "")
    .split("\n");
  return parsed(lines.at(-1) as string) ?? parsed(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
}

function parsed(text: string): JsonValue | undefined {
  const value = readJson(text);
  return isJsonObject(value) ? value : undefined;
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
