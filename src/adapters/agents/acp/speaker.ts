/** Our side of ACP: one session, one prompt. Files and terminals are not offered: the agent uses its own, behind the wall. */
import type { ClientContext } from "@agentclientprotocol/sdk";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { AgentHost, AgentOutcome, AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { Speaker } from "../cli/converse.ts";
import { createHearing, type Hearing } from "../cli/hearing.ts";
import { createRecent } from "../cli/recent.ts";
import type { WorkPlace } from "../cli/work-place.ts";
import { failureIn, outcomeOf } from "./outcome.ts";
import { addTold, type ToldCall, toolCallOf } from "./tool-call.ts";
import { usageIn } from "./usage.ts";
import { wireOver } from "./wire.ts";

export interface AcpSpeaker extends Speaker {
  text(): string;
  session(): string | null;
  /** Tokens that it says it has used; null: it does not say. */
  tokens(): number | null;
}

/** What is known of every call that the agent has spoken of. */
interface Calls {
  learn(said: JsonObject): ToldCall;
  forget(id: string): void;
}

const UNDER_WAY: ReadonlySet<unknown> = new Set(["in_progress", "completed", "failed"]);

/** `plain`: what the agent says of a call, in the usual words. */
export function createAcpSpeaker(
  task: AgentTask,
  host: AgentHost,
  place: WorkPlace,
  plain: (told: ToldCall) => ToldCall = (told) => told,
): AcpSpeaker {
  const calls = createCalls(plain);
  let agent: ClientContext | null = null;
  let session: string | null = null;
  let hasBegun = false;
  let answer: JsonObject = {};
  let hear: (message: JsonObject) => void = () => undefined;

  const cancel = (): void => {
    if (session !== null) void agent?.notify("session/cancel", { sessionId: session }).catch(() => undefined);
  };
  const hearing = createHearing(task, host, cancel);
  const talk = async (context: ClientContext): Promise<AgentOutcome> => {
    agent = context;
    session = await open(context, task, place.cwd);
    host.onEvent({ type: "session", session });
    hasBegun = true;
    const stopReason = await ask(context, session, promptOf(task));
    hearing.pause();
    return hearing.verdict() ?? outcomeOf(stopReason, hearing.denied());
  };

  return {
    async speak(line) {
      const { client } = await import("@agentclientprotocol/sdk");
      const wire = wireOver(line, (result) => {
        if (typeof result["stopReason"] === "string") answer = result;
      });
      hear = wire.hear;
      const app = client({ name: "pawl" })
        .onRequest("session/request_permission", objectOf, ({ params }) => permit(hearing, calls, place, params))
        .onNotification("session/update", objectOf, ({ params }) => {
          // What comes before is the history of the session that is gone on with.
          if (hasBegun) hearUpdate(hearing, calls, place, objectOf(params["update"]));
        });
      try {
        return await app.connectWith(wire.stream, (context) => Promise.race([talk(context), hearing.over]));
      } catch (error) {
        return hearing.verdict() ?? failureIn(error);
      }
    },
    hear: (message) => hear(message),
    cancel,
    text: hearing.text,
    session: () => session,
    tokens: () => usageIn(answer),
  };
}

function createCalls(plain: (told: ToldCall) => ToldCall): Calls {
  const told = createRecent<ToldCall>();
  return {
    forget: told.forget,
    learn: (said) => {
      const id = String(said["toolCallId"]);
      const whole = addTold(told.get(id), said);
      told.set(id, whole);
      return plain(whole);
    },
  };
}

function promptOf({ system, prompt }: AgentTask): string {
  return system === null ? prompt : `${system}\n\n${prompt}`;
}

async function ask(agent: ClientContext, sessionId: string, text: string): Promise<string> {
  const prompt = [{ type: "text", text }];
  const { stopReason } = await agent.request<{ stopReason: string }>("session/prompt", { sessionId, prompt });
  return stopReason;
}

/** Goes on with the session of an earlier attempt where that is still there, else begins one. */
async function open(agent: ClientContext, task: AgentTask, cwd: string): Promise<string> {
  const { PROTOCOL_VERSION } = await import("@agentclientprotocol/sdk");
  const { agentCapabilities } = await agent.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "pawl", version: "1" },
  });
  if (task.session !== null && agentCapabilities?.loadSession === true) {
    const sessionId = task.session;
    const isLoaded = await agent.request("session/load", { sessionId, cwd, mcpServers: [] }).then(
      () => true,
      () => false,
    );
    if (isLoaded) return sessionId;
  }
  return (await agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

async function permit(hearing: Hearing, calls: Calls, place: WorkPlace, params: JsonObject): Promise<JsonObject> {
  const call = toolCallOf(calls.learn(objectOf(params["toolCall"])), place);
  return chosen(params["options"], await hearing.ask(call));
}

/** Never for more than this once: the next call is asked about again. */
function chosen(options: JsonValue | undefined, answer: string): JsonObject {
  const kind = answer === "allow" ? "allow_once" : "reject_once";
  const option = (Array.isArray(options) ? options : []).map(objectOf).find((each) => each["kind"] === kind);
  const optionId = answer === "defer" ? undefined : option?.["optionId"];
  return { outcome: typeof optionId === "string" ? { outcome: "selected", optionId } : { outcome: "cancelled" } };
}

function hearUpdate(hearing: Hearing, calls: Calls, place: WorkPlace, said: JsonObject): void {
  switch (said["sessionUpdate"]) {
    case "agent_message_chunk": {
      const { text } = objectOf(said["content"]);
      if (typeof text === "string") hearing.say(text);
      return;
    }
    case "tool_call":
    case "tool_call_update": {
      hearing.pause();
      const whole = calls.learn(said);
      if (!UNDER_WAY.has(whole["status"])) return;
      const call = toolCallOf(whole, place);
      hearing.announce(call);
      if (whole["status"] === "in_progress") return;
      calls.forget(call.id);
      hearing.ended(call.id, whole["status"] === "completed", summaryOf(whole));
    }
  }
}

function summaryOf({ content, title }: ToldCall): string {
  const texts = (Array.isArray(content) ? content : []).flatMap((part) => {
    const { text } = objectOf(objectOf(part)["content"]);
    return typeof text === "string" ? [text] : [];
  });
  return texts.join(" ") || (typeof title === "string" ? title : "");
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
