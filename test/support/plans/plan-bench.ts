/** Plans over a real toolbox with small tools, a clock that stands still unless it is moved, and a log in memory. */
import { createPolicyGate } from "../../../src/adapters/system/policy-gate.ts";
import { formatRunId } from "../../../src/base/ids.ts";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { createCallDoor, type DoorOptions } from "../../../src/harness/plans/call-door.ts";
import { createExecutionContext, type ExecutionContext } from "../../../src/harness/plans/execution-context.ts";
import type { ExecutionRecord } from "../../../src/harness/plans/execution-log.ts";
import type { PlanHost } from "../../../src/harness/plans/session.ts";
import type { Hooks } from "../../../src/harness/ports.ts";
import { createToolRegistry } from "../../../src/harness/tools/registry.ts";
import { rulingBy } from "../../../src/harness/tools/ruling.ts";
import type { Tool, ToolContext, ToolResult } from "../../../src/harness/tools/tool.ts";
import type { Pattern, Rule } from "../../../src/policy/rule.ts";
import { createVirtualClock, type VirtualClock } from "../virtual-clock.ts";

export const RUN = formatRunId(new Uint8Array(12));
export const NEVER = new AbortController().signal;

export interface PlanBench {
  readonly clock: VirtualClock;
  readonly records: ExecutionRecord[];
  readonly context: ExecutionContext;
  readonly host: PlanHost;
  /** Tool and input of every call that got as far as a tool. */
  readonly called: { readonly tool: string; readonly input: JsonObject }[];
}

export interface BenchOptions {
  readonly tools?: Readonly<
    Record<string, (input: JsonObject, context: ToolContext) => ToolResult | Promise<ToolResult>>
  >;
  readonly allow?: readonly Pattern[];
  readonly deny?: readonly Pattern[];
  readonly hooks?: Hooks;
  readonly host?: Partial<PlanHost>;
  readonly door?: Partial<DoorOptions>;
  readonly schemas?: Readonly<Record<string, JsonObject>>;
  readonly deadlineMs?: number;
}

/** What it is given comes back. */
export const echo = (input: JsonObject): ToolResult => ({ ok: true, output: input as JsonValue });

export function planBench(options: BenchOptions = {}): PlanBench {
  const { tools = { echo }, allow = [{ tool: "*" }], deny = [], hooks, schemas = {} } = options;
  const clock = createVirtualClock();
  const records: ExecutionRecord[] = [];
  const called: { tool: string; input: JsonObject }[] = [];
  const rules: Rule[] = [
    ...allow.map((pattern, at) => ({ id: `t.allow[${at}]`, effect: "allow" as const, pattern })),
    ...deny.map((pattern, at) => ({ id: `t.deny[${at}]`, effect: "deny" as const, pattern })),
  ];
  const made = Object.entries(tools).map(
    ([name, run]): Tool => ({
      ...{ name, summary: name, input: schemas[name] ?? { type: "object" }, risk: "medium", timeout: "fast" },
      idempotent: false,
      requests: () => [],
      run: async (input, context) => {
        called.push({ tool: name, input });
        return run(input, context);
      },
    }),
  );
  const door = createCallDoor({
    registry: createToolRegistry(made),
    ...{ toolset: null, root: "/", run: RUN, emit: () => undefined },
    holder: { name: "planner", author: "anyone", visibility: "private" },
    decide: rulingBy(createPolicyGate(), Object.freeze(rules)),
    ...(hooks === undefined ? {} : { hooks }),
    ...options.door,
  });
  const ids = { request: "req-1", assistant: "helper", session: "s-1", tenant: "acme", user: "ada" };
  const deadline = options.deadlineMs === undefined ? null : clock.now() + options.deadlineMs;
  return {
    ...{ clock, records, called },
    context: createExecutionContext(ids, clock.now(), deadline),
    host: {
      ...{ run: RUN, clock, ...door, log: { append: (record) => void records.push(record) } },
      ...(hooks === undefined ? {} : { hooks }),
      ...options.host,
    },
  };
}

export interface StepText {
  readonly [key: string]: JsonValue | undefined;
}

export function planOf(...steps: readonly StepText[]): JsonObject {
  return { assistant_id: "helper", steps: steps.map((step) => ({ name: "echo", type: "tool", ...step })) };
}
