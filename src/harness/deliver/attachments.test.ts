import { expect, test } from "vitest";
import { scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { testTool } from "../../../test/support/harness/tools.ts";
import type { AgentResult } from "../agent.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import { createPlanTool } from "../plans/plan-tool.ts";
import type { Delivery } from "../ports.ts";
import { type RunAgentOptions, runAgent } from "../run-agent.ts";
import type { Tool } from "../tools/tool.ts";
import { ATTACHMENT_BOUNDS, createAttachments } from "./attachments.ts";

const TARGET = { kind: "chat", id: "1" };

function keeping(names: string[]): Delivery {
  return {
    deliver: (_target, _output, attachments) => void names.push(...attachments.map(({ name }) => name)),
    deliverError: () => undefined,
  };
}

/** Attaches a file of four bytes each time it is called. */
function attaching(): Tool {
  let times = 0;
  return testTool("plot", (_, { attach }) => {
    times += 1;
    attach({ name: `${times}.png`, bytes: Buffer.from("four") });
    return { ok: true, output: String(times) };
  });
}
const plots = (times: number) => Array.from({ length: times }, (_, n) => ({ tool: "plot", input: { n } }));

async function run(more: Partial<RunAgentOptions>, times = 3): Promise<{ names: string[]; result: AgentResult }> {
  const names: string[] = [];
  const model = scriptedModel([{ calls: plots(times) }, { text: "see there" }]);
  const options = { model, prompt: "go", tools: [attaching()], target: TARGET, ...more };
  const result = await runAgent({ ...options, ports: { delivery: keeping(names), ...more.ports } });
  return { names, result };
}

test.for([
  ["files", { files: 2 }, "2 attachments are queued already, and no more than 2 are allowed"],
  ["bytes", { bytes: 11 }, "it would be 12 bytes of attachments, and no more than 11 are allowed"],
] as const)(
  "A21: no more %s are attached than the run allows, and the model is told what to do",
  async ([, attachments, why]) => {
    const journal = createMemoryJournal();
    const { names, result } = await run({ attachments, ports: { journal } });
    expect(names).toEqual(["1.png", "2.png"]);
    expect(result.status).toBe("completed");
    expect(result.steps[0]?.calls.map(({ ok }) => ok)).toEqual([true, true, false]);
    const told = String(result.steps[0]?.calls[2]?.output);
    expect(told).toContain(`"3.png" cannot be attached: ${why}.`);
    expect(told).toContain("kept in memory until the answer is delivered");
    expect(told).toContain("`attachments` of `runAgent`");
    expect(JSON.stringify(await journal.read(result.runId))).toContain("attachment_refused");
  },
);

test("A21: an attachment that does not fit takes nothing of the room of those that do", () => {
  const { attach, files } = createAttachments({ ...ATTACHMENT_BOUNDS, bytes: 4 });
  expect(() => attach({ name: "large", bytes: Buffer.alloc(5) })).toThrow("large");
  attach({ name: "small", bytes: Buffer.alloc(4) });
  expect(files.map(({ name }) => name)).toEqual(["small"]);
});

test("A21: attachments are bounded unless told, and a bound that is none is refused", async () => {
  expect(ATTACHMENT_BOUNDS).toEqual({ files: 20, bytes: 50 * 1024 * 1024 });
  expect((await run({ budget: { toolCalls: 50 } }, 22)).names).toHaveLength(20);
  const { result } = await run({ attachments: { bytes: Number.NaN } });
  expect(result).toMatchObject({ status: "failed", error: { code: "HARNESS_OPTIONS_UNFIT" } });
});

test("A21: what a plan or a child attaches comes with the answer of the run that is delivered, within its bounds", async () => {
  const calling = (tool: string, input: object) =>
    scriptedModel([{ calls: [{ tool, input: input as never }] }, { text: "see there" }]);
  const steps = plots(3).map(({ tool }) => ({ name: tool, type: "tool" }));
  const plan = createPlanTool({ tools: [attaching()] });
  const bounded = { attachments: { files: 2 } };
  const planned = await run({ ...bounded, model: calling("execute_plan", { steps }), tools: [plan] });
  expect(planned.names).toEqual(["1.png", "2.png"]);
  const child = { model: scriptedModel([{ calls: plots(3) }, { text: "done" }]), tools: [attaching()] };
  const agent = { delegates: { helper: child } };
  const delegated = await run({ ...bounded, agent, model: calling("agent__helper", { task: "plot" }), tools: [] });
  expect(delegated.names).toEqual(["1.png", "2.png"]);
});
