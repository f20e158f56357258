/**
 * A small agent that speaks ACP, on the agent side of the SDK: it asks a model, asks before each call, does it, and keeps its
 * sessions in its home. Run as a program of its own.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { type AgentContext, agent, ndJsonStream, RequestError, type StopReason } from "@agentclientprotocol/sdk";

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
}

interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly messages: Message[];
}

const KINDS = { write: "edit", run: "execute", read: "read" } as const;
const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" as const },
  { optionId: "once", name: "Once", kind: "allow_once" as const },
  { optionId: "no", name: "No", kind: "reject_once" as const },
];
const home = process.env["HOME"] ?? "/nowhere";
const sessions = new Map<string, Session>();
const underWay = new Map<string, AbortController>();

const fileOf = (id: string): string => join(home, ".local/share/opencode/storage", `${id}.json`);

function keep(session: Session): void {
  mkdirSync(dirname(fileOf(session.id)), { recursive: true });
  writeFileSync(fileOf(session.id), JSON.stringify(session));
}

function sessionOf(id: string): Session {
  const found = sessions.get(id);
  if (found === undefined) throw RequestError.invalidParams(undefined, `no session ${id}`);
  return found;
}

/** The next message of the model. An error of it is told as an error of the prompt, with its status. */
async function ask(messages: readonly Message[], signal: AbortSignal): Promise<Message> {
  const response = await fetch(`${process.env["OPENAI_BASE_URL"]}/chat/completions`, {
    method: "POST",
    signal,
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env["OPENAI_API_KEY"]}` },
    body: JSON.stringify({ model: "gpt-4.1", messages, tools: Object.keys(KINDS).map(toolOf) }),
  });
  const text = await response.text();
  if (!response.ok) throw new RequestError(-32_603, text.slice(0, 500), { statusCode: response.status });
  const body = JSON.parse(text) as { choices: [{ message: Message }] };
  return body.choices[0].message;
}

const toolOf = (name: string): unknown => ({ type: "function", function: { name, parameters: { type: "object" } } });

function perform(session: Session, name: string, input: Record<string, string>): string {
  const path = resolve(session.cwd, input["path"] ?? ".");
  if (name === "read") return readFileSync(path, "utf8");
  if (name === "run")
    return execFileSync("/bin/sh", ["-c", input["command"] ?? ""], { cwd: session.cwd, encoding: "utf8" });
  writeFileSync(path, input["content"] ?? "");
  return "written";
}

async function make(client: AgentContext, session: Session, call: Call): Promise<string> {
  const { name, arguments: given } = call.function;
  const input = JSON.parse(given) as Record<string, string>;
  const path = input["path"];
  const shown = {
    toolCallId: call.id,
    title: name,
    kind: KINDS[name as keyof typeof KINDS] ?? ("other" as const),
    rawInput: input,
    ...(path === undefined ? {} : { locations: [{ path: resolve(session.cwd, path) }] }),
  };
  const tell = (update: object): Promise<void> =>
    client.notify("session/update", { sessionId: session.id, update: { toolCallId: call.id, ...update } as never });
  await tell({ sessionUpdate: "tool_call", ...shown, status: "pending" });
  const { outcome } = await client.request<{ outcome: { outcome: string; optionId?: string } }>(
    "session/request_permission",
    {
      sessionId: session.id,
      toolCall: shown,
      options: OPTIONS,
    },
  );
  if (outcome.outcome !== "selected") throw new Error("cancelled");
  if (outcome.optionId === "no") {
    await tell({ sessionUpdate: "tool_call_update", status: "failed" });
    return "You may not do this.";
  }
  const result = perform(session, name, input);
  await tell({ sessionUpdate: "tool_call_update", status: "completed" });
  return result;
}

async function turn(client: AgentContext, session: Session, signal: AbortSignal): Promise<StopReason> {
  for (;;) {
    const message = await ask(session.messages, signal);
    session.messages.push(message);
    keep(session);
    const { id } = session;
    if (message.content !== null && message.content !== "") {
      const content = { type: "text" as const, text: message.content };
      await client.notify("session/update", {
        sessionId: id,
        update: { sessionUpdate: "agent_message_chunk", content },
      });
    }
    const calls = message.tool_calls ?? [];
    for (const call of calls) {
      const content = await make(client, session, call);
      session.messages.push({ role: "tool", tool_call_id: call.id, content });
    }
    keep(session);
    if (calls.length === 0) return "end_turn";
  }
}

if (process.argv.includes("--version")) {
  console.log("1.18.33");
  process.exit(0);
}

agent({ name: "peer" })
  .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }))
  .onRequest("session/new", ({ params }) => {
    const session = { id: `s-${process.pid}-${Date.now()}`, cwd: params.cwd, messages: [] };
    sessions.set(session.id, session);
    keep(session);
    return { sessionId: session.id };
  })
  .onRequest("session/load", async ({ params, client }) => {
    const session = JSON.parse(readFileSync(fileOf(params.sessionId), "utf8")) as Session;
    sessions.set(session.id, session);
    for (const { role, content } of session.messages) {
      if (role !== "assistant" || content === null) continue;
      const update = {
        sessionUpdate: "agent_message_chunk" as const,
        content: { type: "text" as const, text: content },
      };
      await client.notify("session/update", { sessionId: session.id, update });
    }
  })
  .onRequest("session/prompt", async ({ params, client }) => {
    const session = sessionOf(params.sessionId);
    const aborting = new AbortController();
    underWay.set(session.id, aborting);
    session.messages.push({
      role: "user",
      content: params.prompt.map((part) => ("text" in part ? part.text : "")).join(""),
    });
    keep(session);
    try {
      return { stopReason: await turn(client, session, aborting.signal) };
    } catch (error) {
      if (aborting.signal.aborted || (error as Error).message === "cancelled")
        return { stopReason: "cancelled" as const };
      throw error;
    }
  })
  .onNotification("session/cancel", ({ params }) => underWay.get(params.sessionId)?.abort())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
