/** Work on the workspace of a stage has the time of the stage and half a minute more, whatever kind the stage is and whatever the work. */
import { expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../test/support/run-plan.ts";
import { createTestAgents } from "../../test/support/test-agents.ts";
import { pawlError } from "../base/errors.ts";
import { WORKSPACE_ERRORS } from "../ports/errors/workspace-errors.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { Workspaces } from "../ports/workspaces.ts";

const POLICY = `version: 1
name: test
policy: { allow: [{ action: "agent.*" }, { run: ["ok", "**"] }, { edit: "**" }, { read: "**" }] }
`;
const COMMAND = "stages: [{ id: a, command: [ok], timeout: 10s }]\n";
const AGENT = `${POLICY}stages: [{ id: a, agent: { use: asks, goal: "Repair it." }, timeout: 10s }]\n`;
const GATE = "stages: [{ id: a, gate: { command: [ok] }, timeout: 10s }]\n";

/** It ends with its signal and by nothing else. */
function endless(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const data = { doing: "It", kept: "The files stay." };
    signal?.addEventListener("abort", () =>
      reject(pawlError(WORKSPACE_ERRORS, "WORKSPACE_INTERRUPTED", { ...data, why: String(signal.reason) })),
    );
  });
}

const inPlace = (change: (folder: object) => object) => (own: Workspaces) => ({
  enter: async (...args: Parameters<Workspaces["enter"]>) => {
    const workspace = await own.enter(...args);
    return { ...workspace, ...change(workspace) } as typeof workspace;
  },
  checkout: async (...args: Parameters<Workspaces["checkout"]>) => {
    const checkout = await own.checkout(...args);
    return { ...checkout, ...change(checkout) } as typeof checkout;
  },
});
const enter = () => ({
  enter: (_place: unknown, _base: unknown, _label: unknown, signal?: AbortSignal) => endless(signal),
});
const compose = () => ({ compose: (_run: unknown, _parts: unknown, signal?: AbortSignal) => endless(signal) });
const checkout = () => ({ checkout: (_place: unknown, _tree: unknown, signal?: AbortSignal) => endless(signal) });
const save = inPlace(() => ({ save: (_label: unknown, signal?: AbortSignal) => endless(signal) }));
const remove = inPlace(() => ({ remove: (_label: unknown, signal?: AbortSignal) => endless(signal) }));

interface Ended {
  readonly outcome: string;
  readonly cause: string;
  readonly error?: string | undefined;
  readonly tookMs: number;
}

async function ended(yaml: string, change: (own: Workspaces) => object): Promise<Ended> {
  const host = createTestHost(planFrom(yaml), {
    ports: (own: KernelPorts) => ({
      agents: createTestAgents(),
      workspaces: { ...own.workspaces, ...change(own.workspaces) } as Workspaces,
    }),
  });
  const begun = host.clock.now();
  await host.start();
  const tookMs = host.clock.now() - begun;
  const end = (await host.events()).find((event) => event.type === "stage.finished");
  if (end?.type !== "stage.finished") throw new Error("the stage did not end");
  return { outcome: end.outcome, cause: end.cause, error: end.error, tookMs };
}

const OVER = "It was cut off: its time was over (10s of the stage and 30s). The files stay.";

it.each([
  ["entering it", COMMAND, enter, "failure"],
  ["saving it", COMMAND, save, "failure"],
  ["entering it for an agent", AGENT, enter, "failure"],
  ["saving what an agent left", AGENT, save, "failure"],
  ["putting together what a gate judges", GATE, compose, "fail"],
  ["checking out what a gate judges", GATE, checkout, "fail"],
] as const)("%s fails with the time of its stage", async (_, yaml, change, outcome) => {
  expect(await ended(yaml, change)).toEqual({ outcome, cause: "timeout", error: OVER, tookMs: 40_000 });
});

it("removing what a gate has judged in ends half a minute later, and changes nothing", async () => {
  expect(await ended(GATE, remove)).toMatchObject({ outcome: "pass", tookMs: 30_000 });
});
