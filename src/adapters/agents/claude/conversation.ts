/**
 * One talk with Claude Code: first the hook that every call of a tool must pass, then the task, then whatever it says until its
 * last line. It gets its task only when it has taken the hook, and a call that happened without being allowed ends the talk.
 *
 *   host  initialize {hooks} →            user →                   hook answer →
 *   agent                     ← welcome          ← hook_callback …               … ← result
 */
import type { JsonObject } from "../../../base/json.ts";
import { addUsage, NO_USAGE, type Usage } from "../../../base/usage.ts";
import { visibleLine } from "../../../base/visible.ts";
import type { AgentHost } from "../../../ports/agents/agent-backend.ts";
import type { Dialogue } from "../../../ports/executor.ts";
import { objectAt, textAt } from "./fields.ts";
import type { Gate } from "./gate.ts";
import { createLineReader } from "./lines.ts";
import { eventsIn } from "./told.ts";
import { usageIn } from "./usage.ts";

export interface ConversationOptions {
  readonly host: AgentHost;
  readonly gate: Gate;
  readonly system: string | null;
  /** null: it goes on by itself with the call that was put off. */
  readonly prompt: string | null;
  /** It has taken the hook; it gets its task afterwards. */
  readonly onReady: () => Promise<void>;
  /** It has said its last line. */
  readonly onResult: () => void;
  /** Ends the process at once: nothing it says is believed any more. */
  readonly stop: () => void;
}

export interface Heard {
  /** Its last line; null: there was none. */
  readonly result: JsonObject | null;
  readonly session: string | null;
  /** null: it did not tell. */
  readonly usage: Usage | null;
  /** Why the talk was broken off; null: it was not. */
  readonly breach: string | null;
}

export interface Conversation {
  readonly dialogue: Dialogue;
  heard(): Heard;
}

const HELLO = "pawl-hello";
const HOOK = "pawl-gate";
/** A ruling takes milliseconds; this is for a machine that is choked. */
const HOOK_SECONDS = 600;
const MOST_LINE_BYTES = 64 * 1024 * 1024;

export function createConversation(options: ConversationOptions): Conversation {
  const { gate } = options;
  const heard: { -readonly [K in keyof Heard]: Heard[K] } = { result: null, session: null, usage: null, breach: null };
  let input: Parameters<Dialogue["begin"]>[0] | undefined;
  const send = (message: JsonObject): void => {
    // Whether it was taken is seen by what comes back.
    void input?.send(`${JSON.stringify(message)}\n`);
  };
  const breakOff = (why: string): void => {
    heard.breach ??= why;
    options.stop();
  };
  const welcomed = (response: JsonObject): void => {
    if (textAt(response, "request_id") !== HELLO) return;
    if (!hasTakenHook(response)) {
      breakOff("it did not take the hook that rules on its tools");
      return;
    }
    options.onReady().then(
      () => {
        if (options.prompt !== null) send(taskOf(options.prompt));
      },
      () => breakOff("its gate could not be opened"),
    );
  };
  const answer = async (id: string, request: JsonObject): Promise<void> => {
    const subtype = textAt(request, "subtype");
    if (subtype === "hook_callback" && textAt(request, "callback_id") === HOOK)
      send(answerOf(id, await gate.answer(objectAt(request, "input"))));
    else if (subtype === "can_use_tool") send(answerOf(id, gate.permit(request)));
    else send(refusalOf(id));
  };
  const end = (result: JsonObject): void => {
    const usage = usageIn(result);
    heard.result = result;
    heard.usage = usage === null ? heard.usage : addUsage(heard.usage ?? NO_USAGE, usage);
    input?.end();
    options.onResult();
  };
  const onMessage = (message: JsonObject): void => {
    if (heard.breach !== null) return;
    const type = textAt(message, "type");
    if (type === "control_response") welcomed(objectAt(message, "response"));
    else if (type === "control_request") void answer(textAt(message, "request_id") ?? "", objectAt(message, "request"));
    else if (type === "result") end(message);
    else tell(options, heard, message, breakOff);
  };
  const reader = createLineReader(MOST_LINE_BYTES, onMessage);
  return {
    dialogue: {
      begin: (given) => {
        input = given;
        send(helloOf(options.system));
      },
      onOutput: (chunk) => {
        if (heard.breach === null && !reader.write(chunk)) breakOff("it wrote a line without an end");
      },
    },
    heard: () => ({ ...heard }),
  };
}

/** Passes on what is said, as long as nothing was done that was not allowed. */
function tell(
  { host, gate }: ConversationOptions,
  heard: { session: string | null },
  message: JsonObject,
  breakOff: (why: string) => void,
): void {
  const session = textAt(message, "session_id");
  if (textAt(message, "subtype") === "init" && session !== null && session !== heard.session) {
    heard.session = session;
    host.onEvent({ type: "session", session });
  }
  for (const event of eventsIn(message)) {
    if (event.type === "tool_result" && event.ok && !gate.hasAllowed(event.id))
      breakOff(`it did something that was not allowed (${visibleLine(event.id, 60)})`);
    else host.onEvent(event);
  }
}

/** That it knows the word is not enough: it must say that it has taken it, and that it blocks what the hook fails on. */
function hasTakenHook(response: JsonObject): boolean {
  const said = objectAt(response, "response");
  const isSuccess = textAt(response, "subtype") === "success";
  return isSuccess && said["hooks_applied"] === true && said["hook_on_failure_supported"] === true;
}

function helloOf(system: string | null): JsonObject {
  const hook = { hookCallbackIds: [HOOK], timeout: HOOK_SECONDS, onFailure: "block" };
  const standing = system === null ? {} : { appendSystemPrompt: system };
  const request = { subtype: "initialize", hooks: { PreToolUse: [hook] }, ...standing };
  return { type: "control_request", request_id: HELLO, request };
}

/** A text that began with a slash would be a command of the program, and not a task. */
function taskOf(prompt: string): JsonObject {
  const message = { role: "user", content: [{ type: "text", text: `Your task:\n\n${prompt}` }] };
  return { type: "user", message, parent_tool_use_id: null };
}

function answerOf(id: string, response: JsonObject): JsonObject {
  return { type: "control_response", response: { subtype: "success", request_id: id, response } };
}

function refusalOf(id: string): JsonObject {
  const response = { subtype: "error", request_id: id, error: "this host does not do that" };
  return { type: "control_response", response };
}
