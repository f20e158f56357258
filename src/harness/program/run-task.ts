/** One task of the host as a run of the harness: the host rules, keeps and counts; here is only who works. */
import type { RunId } from "../../base/ids.ts";
import { visibleLine } from "../../base/visible.ts";
import type { AgentOutcome, Ruling } from "../../ports/agents/agent-backend.ts";
import type { HostTool } from "../../ports/agents/host-tools.ts";
import type { HostLine, ProgramReport } from "../../ports/agents/model-program.ts";
import type { AgentResult } from "../agent.ts";
import type { JournalRecord } from "../journal/record.ts";
import { timeUsed } from "../journal/state.ts";
import type { Observer } from "../ports.ts";
import { runAgent } from "../run-agent.ts";
import { createBuiltInTools } from "../tools/built-in-tools.ts";
import { createToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { findToolset, toolsOf } from "../tools/toolsets.ts";
import { openGatewayModel } from "./gateway-model.ts";
import type { HostTalk } from "./host-talk.ts";

/** Money and tokens are counted by the gateway, which refuses before they are spent. */
const UNBOUNDED = { tokens: Number.POSITIVE_INFINITY, usd: Number.POSITIVE_INFINITY };
const MOST_TURNS = 1000;
const MOST_CALLS = 10_000;
const LONGEST_SUMMARY = 200;

type Start = Extract<HostLine, { type: "start" }>;

export interface Surroundings {
  /** For the programs that its tools start. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export async function runTask(
  { task, past }: Start,
  talk: HostTalk,
  { env, signal }: Surroundings,
): Promise<ProgramReport> {
  talk.tell({ type: "session", session: task.session });
  let reported = { tokens: 0, microUsd: 0 };
  let lastRuling: Ruling = { answer: "allow" };
  // An attempt has a time of its own, which its host sees to.
  const wallMs = task.timeoutMs + timeUsed(past as unknown as readonly JournalRecord[]);
  const result = await runAgent({
    prompt: task.prompt,
    model: await openGatewayModel(task),
    ...(task.system === null ? {} : { system: task.system }),
    ...(task.schema === null ? {} : { schema: task.schema }),
    tools: [...toolsFor(task.toolset, env), ...task.hostTools.map((tool) => hostTool(tool, talk))],
    root: task.root,
    signal,
    budget: { ...UNBOUNDED, turns: task.maxTurns ?? MOST_TURNS, toolCalls: MOST_CALLS, wallMs },
    policy: {
      async decide(call) {
        lastRuling = await talk.decide(call);
        return lastRuling;
      },
    },
    ...(past.length === 0 ? { id: task.session as RunId } : { resume: task.session as RunId }),
    ...(task.isRestored ? { restored: true } : {}),
    ports: {
      journal: talk.journal(past),
      // The attempt ends: whoever gets the answer of a person begins another one.
      approvals: { ask: () => Promise.resolve("later") },
      observer: observerOf(talk),
      sinks: {
        usage({ tokens, microUsd }) {
          reported = { tokens: reported.tokens + tokens, microUsd: reported.microUsd + microUsd };
          talk.tell({ type: "usage", usage: { tokens, microUsd } });
        },
      },
    },
  });
  const { output: text, value } = result;
  return { outcome: outcomeOf(result, lastRuling), text, ...(value === undefined ? {} : { output: value }), reported };
}

export function toolsFor(toolset: string | null, env: Surroundings["env"]): readonly Tool[] {
  const all = createBuiltInTools({ env, proxy: env["HTTPS_PROXY"] ?? null });
  if (toolset === null) return all;
  const names = toolsOf(findToolset(toolset), createToolRegistry(all));
  return all.filter(({ name }) => names.has(name));
}

/** What it does is done by the host, where this program cannot reach. */
function hostTool({ name, summary, input, request }: HostTool, talk: HostTalk): Tool {
  return {
    ...{ name, summary, input, risk: "high", timeout: "long", idempotent: false, safeToShare: false },
    requests: () => [request],
    run: (given) => talk.call(name, given),
  };
}

function observerOf(talk: HostTalk): Observer {
  let retries = 0;
  return {
    onText: (text) => talk.tell({ type: "text", text }),
    onCall: (call) => talk.tell({ type: "tool_request", call }),
    onResult({ id, ok, output }) {
      const shown = typeof output === "string" ? output : JSON.stringify(output);
      talk.tell({ type: "tool_result", id, ok, summary: visibleLine(shown, LONGEST_SUMMARY) });
    },
    onRetry({ model, why }) {
      retries += 1;
      talk.tell({ type: "retry", attempt: retries, why: `${model}: ${why}`, delayMs: null });
    },
  };
}

function outcomeOf({ status, error, failure, deferred }: AgentResult, lastRuling: Ruling): AgentOutcome {
  const told = error?.message ?? status;
  switch (status) {
    case "completed":
      return { kind: "completed" };
    case "deferred":
      return deferred === null ? { kind: "failed", why: "lost", error: told } : { kind: "deferred", call: deferred };
    // It would not take no for an answer.
    case "tool_loop":
      return lastRuling.answer === "deny"
        ? { kind: "denied", error: lastRuling.why }
        : { kind: "failed", why: "provider", error: told };
    case "cancelled":
    case "killed":
      return { kind: "cancelled" };
    case "rejected":
    case "budget":
    case "max_turns":
    case "max_tool_calls":
    case "max_tokens":
    case "max_usd":
    case "timeout":
      return { kind: "budget", error: told };
    default:
      return { kind: "failed", why: failure ?? "provider", error: told };
  }
}
