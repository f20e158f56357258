/**
 * The tools of one agent, and the only way to call them. The law of a call: resolve → validate → policy → record → run → keep →
 * record → answer. Each way to fail has its own code, and the body runs only when all before it has passed.
 */
import { canonical, isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { nearest } from "../../base/text/nearest.ts";
import { APPROVAL_TIER } from "../../policy/decide-call.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import {
  type KeptArtifact,
  messageOf,
  refusal,
  summaryOf,
  type ToolEvent,
  type ToolOutcome,
  type ToolRefusal,
  type ToolSuccess,
} from "./outcome.ts";
import { checkSave, checkShare, mayCall, type ToolCallers, type ToolHolder } from "./permissions.ts";
import type { RegisteredTool, ToolRegistry } from "./registry.ts";
import { runWithin } from "./run-within.ts";
import { shown } from "./shown.ts";
import type { Tool, ToolContext, ToolFile, ToolResult, ToolRisk, ToolTimeout } from "./tool.ts";
import { ToolProblem } from "./tool-problem.ts";
import { type Toolset, toolsOf } from "./toolsets.ts";

export interface ToolboxOptions extends Pick<ToolContext, "root" | "run" | "models" | "dispatch"> {
  readonly registry: ToolRegistry;
  /** null: every tool of the registry. */
  readonly toolset: Toolset | null;
  readonly holder: ToolHolder;
  /** None unless told: whoever has a tool in its set may call it. */
  readonly callers?: ToolCallers;
  /** The ruling of policy, with a person behind it; what goes wrong is a deny. */
  decide(call: ToolCall): Promise<Ruling>;
  /** Where artifacts of tools are kept; without it, a tool that makes one fails. */
  readonly artifacts?: Pick<Artifacts, "put">;
  /** Awaited: a call runs only after its request was recorded, and is answered only after its end was. */
  emit(event: ToolEvent): void | Promise<void>;
  /** Files to be delivered with the final answer; dropped unless told. */
  readonly attach?: (file: ToolFile) => void;
  readonly timeoutsMs?: Partial<Readonly<Record<ToolTimeout, number>>>;
}

export interface ToolInvocation {
  readonly id: string;
  readonly tool: string;
  /** As the model wrote it: an object, or the text of one. */
  readonly input: JsonValue;
  readonly key: string;
}

export interface Toolbox {
  /** Those of the set. */
  readonly tools: readonly Tool[];
  /** Never rejects. */
  call(invocation: ToolInvocation, signal: AbortSignal): Promise<ToolOutcome>;
}

interface Box extends ToolboxOptions {
  readonly names: ReadonlySet<string>;
}

type Step<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refused: ToolRefusal };

const TOOL_TIMEOUTS: Readonly<Record<ToolTimeout, number>> = { fast: 10_000, medium: 60_000, long: 600_000 };
const RISKS: readonly ToolRisk[] = ["low", "medium", "high"];

/** Throws TOOLSET_TOOL_UNKNOWN, TOOL_SAVE_REFUSED or TOOL_SHARE_REFUSED. */
export function createToolbox(options: ToolboxOptions): Toolbox {
  const { registry, toolset, holder } = options;
  const all = registry.all.map(({ tool }) => tool);
  const names = toolset === null ? new Set(all.map(({ name }) => name)) : toolsOf(toolset, registry);
  const tools = all.filter(({ name }) => names.has(name));
  checkSave(holder, tools);
  checkShare(holder, tools);
  const box: Box = { ...options, names };
  return { tools, call: (invocation, signal) => callTool(box, invocation, signal) };
}

async function callTool(box: Box, invocation: ToolInvocation, signal: AbortSignal): Promise<ToolOutcome> {
  const ready = await prepare(box, invocation);
  if (!ready.ok) return ended(box, invocation, ready.refused);
  const { tool, call } = ready.value;
  try {
    await box.emit({ type: "tool.requested", call });
  } catch (error) {
    return refusal("TOOL_EVENT_LOST", { tool: tool.name, problem: messageOf(error) });
  }
  const made = await run(box, tool, call, invocation.key, signal);
  return ended(box, invocation, made.ok ? made.value : made.refused);
}

interface Ready {
  readonly tool: Tool;
  readonly call: ToolCall;
}

async function prepare(box: Box, invocation: ToolInvocation): Promise<Step<Ready>> {
  const resolved = resolve(box, invocation);
  if (!resolved.ok) return resolved;
  const { tool } = resolved.value;
  const valid = validate(resolved.value, invocation);
  if (!valid.ok) return valid;
  const call: ToolCall = { id: invocation.id, tool: tool.name, input: valid.value.input, requests: [] };
  const asked = { ...call, requests: requestsFor(box, tool, valid.value) };
  const ruling = await ruled(box, asked);
  if (ruling.answer === "allow") return { ok: true, value: { tool, call: asked } };
  const code = ruling.answer === "deny" ? "TOOL_DENIED" : "TOOL_DEFERRED";
  return { ok: false, refused: refusal(code, { tool: tool.name, problem: messageOf(ruling.why) }) };
}

function resolve(box: Box, { tool: name }: ToolInvocation): Step<RegisteredTool> {
  const found = box.registry.get(name);
  if (found === undefined) {
    const meant = nearest(name, box.names);
    const tool = meant === undefined ? name : `${name} (did you mean ${meant}?)`;
    return { ok: false, refused: refusal("TOOL_UNKNOWN", { tool }) };
  }
  if (!box.names.has(name))
    return { ok: false, refused: refusal("TOOL_OUTSIDE_SET", { tool: name, toolset: box.toolset?.name ?? "" }) };
  if (!mayCall(box.holder, name, box.callers ?? {}))
    return { ok: false, refused: refusal("TOOL_CALLER_REFUSED", { tool: name, caller: box.holder.name }) };
  return { ok: true, value: found };
}

interface Valid {
  readonly input: JsonObject;
  readonly requests: readonly PolicyRequest[];
}

function validate({ tool, schema }: RegisteredTool, { input }: ToolInvocation): Step<Valid> {
  const invalid = (problem: string): Step<Valid> => ({
    ok: false,
    refused: refusal("TOOL_INPUT_INVALID", { tool: tool.name, problem }),
  });
  try {
    const value = schema.coerce(input);
    const problems = schema.problems(value);
    if (problems.length > 0 || !isJsonObject(value)) return invalid(problems.join("; "));
    return { ok: true, value: { input: value, requests: [...tool.requests(value)] } };
  } catch (error) {
    return invalid(messageOf(error));
  }
}

/** With how dangerous it is; and where the set wants a person, that too. */
function requestsFor({ toolset }: Box, tool: Tool, { input, requests }: Valid): readonly PolicyRequest[] {
  const tier = RISKS[Math.max(RISKS.indexOf(tool.risk), RISKS.indexOf(toolset?.risk ?? "low"))] as ToolRisk;
  const named: PolicyRequest = { kind: "tool", tool: tool.name, args: input, tier };
  const own = requests.length === 0 ? [named] : requests.map((request) => ({ tier, ...request }));
  const needsPerson = toolset?.requiresApproval === true && tool.risk !== "low";
  return needsPerson ? [...own, { ...named, tier: APPROVAL_TIER }] : own;
}

async function ruled(box: Box, call: ToolCall): Promise<Ruling> {
  try {
    return await box.decide(call);
  } catch (error) {
    return { answer: "deny", why: `no ruling could be had: ${messageOf(error)}` };
  }
}

async function run(box: Box, tool: Tool, call: ToolCall, key: string, signal: AbortSignal): Promise<Step<ToolSuccess>> {
  const timeoutMs = box.timeoutsMs?.[tool.timeout] ?? TOOL_TIMEOUTS[tool.timeout];
  const context = contextOf(box, tool, call, key);
  const done = await runWithin(timeoutMs, signal, (until) => tool.run(call.input, { ...context, signal: until }));
  if (done.kind === "cancelled") return { ok: false, refused: refusal("TOOL_CANCELLED", { tool: tool.name }) };
  if (done.kind === "late")
    return { ok: false, refused: refusal("TOOL_TIMED_OUT", { tool: tool.name, seconds: timeoutMs / 1000 }) };
  if (done.kind === "broken") {
    const code = done.error instanceof ToolProblem ? "TOOL_FAILED" : "TOOL_BROKEN";
    return { ok: false, refused: refusal(code, { tool: tool.name, problem: messageOf(done.error) }) };
  }
  const result: unknown = done.value;
  if (!isResult(result)) {
    const problem = "it gave nothing that is a result";
    return { ok: false, refused: refusal("TOOL_BROKEN", { tool: tool.name, problem }) };
  }
  if (!result.ok)
    return { ok: false, refused: refusal("TOOL_FAILED", { tool: tool.name, problem: messageOf(result.error) }) };
  return keep(box, tool, result.output, result.artifacts ?? []);
}

function isResult(value: unknown): value is ToolResult {
  return isJsonObject(value) && typeof value["ok"] === "boolean";
}

function contextOf(box: Box, tool: Tool, call: ToolCall, key: string): Omit<ToolContext, "signal"> {
  const { root, run, models, dispatch } = box;
  let asked = 0;
  return {
    root,
    run,
    key,
    callId: call.id,
    attach: box.attach ?? (() => undefined),
    async allows(requests) {
      asked += 1;
      const tiered = requests.map((request) => ({ tier: tool.risk, ...request }));
      const ruling = await ruled(box, { ...call, id: `${call.id}/${asked}`, requests: tiered, isPart: true });
      return requests.length > 0 && ruling.answer === "allow";
    },
    ...(models === undefined ? {} : { models }),
    ...(dispatch === undefined ? {} : { dispatch }),
  };
}

async function keep(
  { artifacts }: Box,
  tool: Tool,
  output: JsonValue,
  files: readonly ToolFile[],
): Promise<Step<ToolSuccess>> {
  let seen: JsonValue;
  try {
    seen = shown(output);
  } catch (error) {
    return { ok: false, refused: refusal("TOOL_BROKEN", { tool: tool.name, problem: messageOf(error) }) };
  }
  try {
    if (files.length > 0 && artifacts === undefined) throw new Error("there is no place for artifacts");
    const kept: KeptArtifact[] = [];
    for (const { name, bytes } of files) {
      const ref = await artifacts?.put(bytes);
      kept.push({ name, artifactId: String(ref?.sha256) });
    }
    const summary = summaryOf(typeof seen === "string" ? seen : canonical(seen));
    return { ok: true, value: { status: "success", output: seen, artifacts: kept, summary } };
  } catch (error) {
    return { ok: false, refused: refusal("TOOL_ARTIFACT_LOST", { tool: tool.name, problem: messageOf(error) }) };
  }
}

async function ended(box: Box, { id, tool }: ToolInvocation, outcome: ToolOutcome): Promise<ToolOutcome> {
  try {
    if (outcome.status === "denied")
      await box.emit({ type: "tool.denied", id, tool, code: outcome.code, why: outcome.error });
    await box.emit({ type: "tool.ended", id, tool, outcome });
    return outcome;
  } catch (error) {
    return refusal("TOOL_EVENT_LOST", { tool, problem: messageOf(error) });
  }
}
