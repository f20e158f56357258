/** A toolbox over the real registry, policy and tools, in a folder of its own. */
import { createMemoryArtifacts } from "../../../src/adapters/memory/artifacts.ts";
import { createPolicyGate } from "../../../src/adapters/system/policy-gate.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { type BuiltInToolOptions, createBuiltInTools } from "../../../src/harness/tools/built-in-tools.ts";
import type { ToolEvent, ToolOutcome } from "../../../src/harness/tools/outcome.ts";
import { createToolRegistry } from "../../../src/harness/tools/registry.ts";
import { rulingBy } from "../../../src/harness/tools/ruling.ts";
import type { Tool } from "../../../src/harness/tools/tool.ts";
import { createToolbox, type Toolbox, type ToolboxOptions } from "../../../src/harness/tools/toolbox.ts";
import type { Effect, Pattern, Rule } from "../../../src/policy/rule.ts";

const EVERYTHING: readonly Rule[] = rulesOf(
  ["allow", { read: "**" }],
  ["allow", { edit: "**" }],
  ["allow", { run: ["**"] }],
  ["allow", { shell: "**" }],
  ["allow", { tool: "*" }],
);

export function rulesOf(...written: readonly (readonly [Effect, Pattern])[]): readonly Rule[] {
  return Object.freeze(
    written.map(([effect, pattern], index) => ({ id: `test.${effect}[${index}]`, effect, pattern }) satisfies Rule),
  );
}

export interface ToolBench {
  readonly box: Toolbox;
  readonly events: ToolEvent[];
  call(tool: string, input: JsonValue, signal?: AbortSignal): Promise<ToolOutcome>;
  /** What came back of a call that must succeed. */
  output(tool: string, input: JsonValue): Promise<JsonValue>;
  /** What was said of a call that must not. */
  error(tool: string, input: JsonValue): Promise<string>;
}

export interface BenchOptions extends Partial<Omit<ToolboxOptions, "registry">>, Partial<BuiltInToolOptions> {
  readonly root: string;
  readonly rules?: readonly Rule[];
  /** Instead of those that are built in. */
  readonly tools?: readonly Tool[];
}

export function benchOf(options: BenchOptions): ToolBench {
  const { rules = EVERYTHING, tools, ...given } = options;
  const events: ToolEvent[] = [];
  const builtIn = { env: { PATH: "/usr/bin:/bin" }, proxy: null, ...given };
  const box = createToolbox({
    registry: createToolRegistry(tools ?? createBuiltInTools(builtIn)),
    toolset: null,
    holder: { name: "tester", author: "anyone", visibility: "private" },
    run: "run_test",
    decide: rulingBy(createPolicyGate(), rules),
    emit: (event) => void events.push(event),
    artifacts: createMemoryArtifacts({ maxBytes: 1 << 20 }),
    ...given,
  });
  let calls = 0;
  const call: ToolBench["call"] = (tool, input, signal = new AbortController().signal) => {
    calls += 1;
    return box.call({ id: `call_${calls}`, tool, input, key: `key_${calls}` }, signal);
  };
  return {
    box,
    events,
    call,
    async output(tool, input) {
      const outcome = await call(tool, input);
      if (outcome.status !== "success") throw new Error(`${outcome.code}: ${outcome.error}`);
      return outcome.output;
    },
    async error(tool, input) {
      const outcome = await call(tool, input);
      if (outcome.status === "success") throw new Error(`it succeeded: ${outcome.summary}`);
      return outcome.error;
    },
  };
}
