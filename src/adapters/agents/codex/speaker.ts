/** Our side of the talk with `codex app-server`: one thread, one turn, and a ruling on every command and every change of a file. */
import type { JsonObject } from "../../../base/json.ts";
import { addUsage, NO_USAGE, type Usage } from "../../../base/usage.ts";
import type { AgentHost, AgentOutcome, AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { Speaker } from "../cli/converse.ts";
import { createHearing, type Hearing } from "../cli/hearing.ts";
import { createRecent, type Recent } from "../cli/recent.ts";
import type { WorkPlace } from "../cli/work-place.ts";
import { callOf, commandCall, resultOf } from "./items.ts";
import { outcomeOf, toldIn } from "./outcome.ts";
import { createRpc, objectIn, type Rpc, textIn } from "./rpc.ts";
import { CODEX_MODEL } from "./settings.ts";

export interface CodexSpeaker extends Speaker {
  text(): string;
  session(): string | null;
  reported(): Usage | null;
}

export function createCodexSpeaker(task: AgentTask, host: AgentHost, place: WorkPlace): CodexSpeaker {
  const items = createRecent<JsonObject>();
  let rpc: Rpc | null = null;
  let thread: string | null = null;
  let turn = "";
  let end: (outcome: AgentOutcome) => void = () => undefined;
  const ended = new Promise<AgentOutcome>((resolve) => {
    end = resolve;
  });
  const cancel = (): void => {
    if (turn !== "") void rpc?.request("turn/interrupt", { threadId: thread, turnId: turn }).catch(() => undefined);
  };
  const hearing = createHearing(task, host, cancel);
  const meter = createMeter(host);

  const onNotification = (method: string, params: JsonObject): void => {
    const item = objectIn(params["item"]);
    switch (method) {
      case "item/started":
        items.set(textIn(item["id"]), item);
        break;
      case "item/completed":
        items.forget(textIn(item["id"]));
        hearItem(hearing, item, place);
        break;
      case "thread/tokenUsage/updated":
        meter.used(objectIn(objectIn(params["tokenUsage"])["last"]));
        break;
      case "error":
        meter.failed(params);
        break;
      case "turn/completed":
        hearing.pause();
        end(hearing.verdict() ?? outcomeOf(objectIn(params["turn"]), hearing.denied()));
    }
  };

  return {
    async speak(line) {
      rpc = createRpc(line, {
        onRequest: (method, params) => permit(hearing, place, method, params, items),
        onNotification,
      });
      thread = await open(rpc, task, place.cwd);
      host.onEvent({ type: "session", session: thread });
      const started = await rpc.request("turn/start", {
        threadId: thread,
        input: [{ type: "text", text: task.prompt }],
      });
      turn = textIn(objectIn(started["turn"])["id"]);
      return Promise.race([ended, hearing.over]);
    },
    hear: (message) => rpc?.hear(message),
    cancel,
    text: hearing.text,
    session: () => thread,
    reported: meter.reported,
  };
}

/** Goes on with the thread of an earlier attempt where it is still there, else begins one. */
async function open(rpc: Rpc, task: AgentTask, cwd: string): Promise<string> {
  await rpc.request("initialize", { clientInfo: { name: "pawl", title: "Pawl", version: "1" } });
  rpc.notify("initialized");
  const how = {
    cwd,
    model: task.model ?? CODEX_MODEL,
    // Its own sandbox cannot be built behind our wall, and need not be: whatever it wants to do, it asks first.
    sandbox: "danger-full-access",
    approvalPolicy: "untrusted",
    approvalsReviewer: "user",
    ...(task.system === null ? {} : { developerInstructions: task.system }),
  };
  const { session } = task;
  const resumed =
    session === null ? null : await rpc.request("thread/resume", { threadId: session, ...how }).catch(() => null);
  const { thread } = resumed ?? (await rpc.request("thread/start", how));
  const id = textIn(objectIn(thread)["id"]);
  if (id === "") throw new Error("it began no thread");
  return id;
}

/** null: it asks for something that is not offered. */
async function permit(
  hearing: Hearing,
  place: WorkPlace,
  method: string,
  params: JsonObject,
  items: Pick<Recent<JsonObject>, "get">,
): Promise<JsonObject | null> {
  const id = textIn(params["itemId"]);
  const item = items.get(id) ?? {};
  const call =
    method === "item/commandExecution/requestApproval"
      ? commandCall(id, params)
      : method === "item/fileChange/requestApproval"
        ? callOf({ ...item, id, type: "fileChange" }, place)
        : null;
  if (call === null) return null;
  const answer = await hearing.ask(call);
  return { decision: answer === "allow" ? "accept" : answer === "deny" ? "decline" : "cancel" };
}

function hearItem(hearing: Hearing, item: JsonObject, place: WorkPlace): void {
  if (item["type"] === "agentMessage") {
    hearing.say(textIn(item["text"]));
    hearing.pause();
    return;
  }
  const call = callOf(item, place);
  if (call === null) return;
  hearing.announce(call);
  const { ok, summary } = resultOf(item);
  hearing.ended(call.id, ok, summary);
}

interface Meter {
  used(last: JsonObject): void;
  failed(params: JsonObject): void;
  reported(): Usage | null;
}

/** What it tells of its calls to models. Its totals are those of the thread: only what is new of each call is counted. */
function createMeter(host: AgentHost): Meter {
  let retries = 0;
  let reported: Usage | null = null;
  return {
    used: ({ totalTokens }) => {
      if (typeof totalTokens !== "number") return;
      const usage = { tokens: totalTokens, microUsd: 0 };
      reported = addUsage(reported ?? NO_USAGE, usage);
      host.onEvent({ type: "usage", usage });
    },
    failed: (params) => {
      if (params["willRetry"] !== true) return;
      retries += 1;
      host.onEvent({ type: "retry", attempt: retries, why: toldIn(objectIn(params["error"])).message, delayMs: null });
    },
    reported: () => reported,
  };
}
