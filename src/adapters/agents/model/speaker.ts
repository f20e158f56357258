/** Our side of the talk with the program of the harness: every call is ruled on, every record is kept, nothing is believed twice. */
import { posix } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { Usage } from "../../../base/usage.ts";
import type { PolicyRequest } from "../../../policy/request.ts";
import type { AgentEvent, AgentHost, AgentOutcome, ToolCall } from "../../../ports/agents/agent-backend.ts";
import type { HostTools } from "../../../ports/agents/host-tools.ts";
import type { HostLine, ProgramReport } from "../../../ports/agents/model-program.ts";
import type { Line, Speaker } from "../cli/converse.ts";
import { lost } from "../cli/failure.ts";
import { createHostHands } from "./host-hands.ts";
import type { Records } from "./records.ts";

export interface ModelSpeaker extends Speaker {
  /** Its last word; null: there was none. */
  report(): Pick<ProgramReport, "text" | "output" | "reported"> | null;
}

export interface SpeakerParts {
  readonly host: AgentHost;
  readonly records: Records;
  /** The working folder, from the project: paths of rules count from there. */
  readonly cwd: string;
  /** What the program may call through us. */
  readonly tools: HostTools;
}

export function createModelSpeaker(
  start: Extract<HostLine, { type: "start" | "plan" }>,
  parts: SpeakerParts,
): ModelSpeaker {
  const { host, records } = parts;
  let line: Line = { send: () => undefined };
  let report: ReturnType<ModelSpeaker["report"]> = null;
  let deferred: ToolCall | null = null;
  let say: (outcome: AgentOutcome) => void = () => undefined;
  const send = (message: HostLine): void => line.send(message as unknown as JsonObject);

  const hands = createHostHands(parts.tools);
  const lend = async (id: number, tool: JsonValue | undefined, input: JsonValue | undefined): Promise<void> =>
    send({ type: "result", id, result: await hands.call(tool, input) });

  const rule = async (id: number, told: JsonValue | undefined): Promise<void> => {
    const call = callIn(told, parts.cwd);
    if (call === null) return say(lost("it asked about something that is no call"));
    const ruling = await host.decide(hands.asked(call));
    hands.ruled(call, ruling);
    if (ruling.answer === "defer") deferred = call;
    send({ type: "ruling", id, ruling });
  };
  const answer = (id: number, { type, call, tool, input }: JsonObject): void => {
    if (type === "ask") void rule(id, call);
    else if (type === "call") void lend(id, tool, input);
  };
  const keep = async (record: JsonObject, id: JsonValue | undefined): Promise<void> => {
    try {
      await records.keep(record, typeof id === "number");
      if (typeof id === "number") send({ type: "kept", id });
    } catch (error) {
      say(lost(`what it does could not be kept: ${error instanceof Error ? error.message : String(error)}`));
    }
  };
  const end = (told: JsonValue | undefined): void => {
    const found = reportIn(told);
    report = found;
    const outcome = found?.outcome ?? lost("its last word is not what it should be");
    // What it waits for is what it was told to wait for.
    if (outcome.kind !== "deferred") say(outcome);
    else say(deferred === null ? lost("it waits for a ruling that it has") : { kind: "deferred", call: deferred });
  };

  return {
    report: () => report,
    speak(given) {
      line = given;
      send(start);
      return new Promise((resolve) => {
        say = resolve;
      });
    },
    cancel: () => {
      hands.stop();
      send({ type: "stop" });
    },
    hear(message) {
      const { type, id, event, record } = message;
      if (typeof id === "number") answer(id, message);
      if (type === "record" && isJsonObject(record)) void keep(record, id);
      else if (type === "event") tell(host, event, parts.cwd);
      else if (type === "done") end(message["report"]);
    },
  };
}

function callIn(told: JsonValue | undefined, cwd: string): ToolCall | null {
  if (!isJsonObject(told)) return null;
  const { id, tool, input, requests } = told;
  if (typeof id !== "string" || typeof tool !== "string" || !isJsonObject(input) || !Array.isArray(requests))
    return null;
  const asked = (requests as readonly JsonValue[]).filter(isJsonObject) as unknown as readonly PolicyRequest[];
  const call = { id, tool, input, requests: asked.map((request) => fromProject(request, cwd)) };
  return told["isPart"] === true ? { ...call, isPart: true } : call;
}

function fromProject(request: PolicyRequest, cwd: string): PolicyRequest {
  if (request.kind !== "read" && request.kind !== "edit") return request;
  const { path } = request;
  if (typeof path !== "string" || posix.isAbsolute(path)) return request;
  return { ...request, path: posix.join(cwd, path) };
}

function tell(host: AgentHost, told: JsonValue | undefined, cwd: string): void {
  const event = isJsonObject(told) ? eventIn(told, cwd) : null;
  if (event !== null) host.onEvent(event);
}

function eventIn(told: JsonObject, cwd: string): AgentEvent | null {
  const { type, text, id, ok, summary, session, attempt, why } = told;
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "session" && typeof session === "string") return { type, session };
  if (type === "tool_result" && typeof id === "string") return { type, id, ok: ok === true, summary: String(summary) };
  if (type === "retry") return { type, attempt: Number(attempt), why: String(why), delayMs: null };
  if (type === "usage") return { type, usage: usageIn(told["usage"]) };
  const call = type === "tool_request" ? callIn(told["call"], cwd) : null;
  return call === null ? null : { type: "tool_request", call };
}

function usageIn(told: JsonValue | undefined): Usage {
  const { tokens, microUsd } = isJsonObject(told) ? told : {};
  const amount = (value: JsonValue | undefined): number => (Number.isFinite(value) ? Math.max(0, Number(value)) : 0);
  return { tokens: amount(tokens), microUsd: amount(microUsd) };
}

const KINDS: ReadonlySet<string> = new Set(["completed", "failed", "denied", "budget", "cancelled", "deferred"]);

function reportIn(told: JsonValue | undefined): ProgramReport | null {
  if (!isJsonObject(told)) return null;
  const { outcome, text, output, reported } = told;
  if (!isJsonObject(outcome) || !KINDS.has(String(outcome["kind"])) || typeof text !== "string") return null;
  return {
    ...{ outcome: outcome as unknown as AgentOutcome, text, reported: usageIn(reported) },
    ...(output === undefined ? {} : { output }),
  };
}
