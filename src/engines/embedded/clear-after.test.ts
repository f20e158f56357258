/** Clearing away after a run has half a minute: no host stays because of what a run has left. */
import { expect, it } from "vitest";
import { buildRunId } from "../../../test/support/events-builder.ts";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../../test/support/run-plan.ts";
import { createMemoryStore } from "../../adapters/memory/store.ts";
import { createEmbeddedEngine } from "./engine.ts";

it("ends half a minute after the run when its workspace cannot be removed, and the run keeps its end", async () => {
  const plan = planFrom("stages: [{ id: a, command: [ok] }]\n");
  const reasons: unknown[] = [];
  const host = createTestHost(plan, {
    ports: ({ workspaces }) => ({
      workspaces: {
        ...workspaces,
        leave: (_run, _at, signal) =>
          new Promise((_, reject) =>
            signal?.addEventListener("abort", () => {
              reasons.push(signal.reason);
              reject(new Error("it was cut off"));
            }),
          ),
      },
    }),
  });
  const { clock, ports, killSwitch } = host;
  const store = createMemoryStore({ clock });
  const { runs, lease, control, breakers: turns, journal, breakers } = store;
  const engine = createEmbeddedEngine({
    ...{ ports: { ...ports, journal, breakers, killSwitch }, runs, lease, control, turns },
  });
  const tree = await host.workspaces.base({ kind: "clone", from: "head", share: [] }, 0);
  const begun = clock.now();
  const { ended } = await engine.start({ run: buildRunId(), plan, params: {}, tree });
  let settled = false;
  const end = ended.finally(() => {
    settled = true;
  });
  for (let step = 0; step < 1000 && !settled; step += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (reasons.length === 0) clock.advance();
  }
  expect(settled).toBe(true);
  expect(await end).toMatchObject({ status: "succeeded" });
  expect(reasons).toEqual([expect.stringMatching(/^its time was over .*30s/)]);
  expect(clock.now() - begun).toBeLessThanOrEqual(31_000);
});
