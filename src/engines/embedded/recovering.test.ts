/** What a lost host left is saved in the time that is left: half a minute more than its stage, or what the end of the run leaves. */
import { expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type TestHost } from "../../../test/support/run-plan.ts";
import { createVirtualClock } from "../../../test/support/virtual-clock.ts";
import { createMemoryState } from "../../adapters/memory/state.ts";
import { createMemoryStore } from "../../adapters/memory/store.ts";
import type { RunId } from "../../base/ids.ts";
import type { Engine } from "../../ports/engine.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Workspaces } from "../../ports/workspaces.ts";
import { createEmbeddedEngine } from "./engine.ts";

const PLAN = planFrom("stages: [{ id: a, command: [ok], effect: idempotent, timeout: 10s }]\n");
const BY = { by: "ann" };
const PULL = { ...BY, scope: "all", why: "", at: 1 } as const;

interface Next {
  readonly run: RunId;
  readonly engine: Engine;
  readonly store: Store;
  readonly killSwitch: TestHost["killSwitch"];
}

/** Moves time whenever nothing else can happen. */
async function settled(work: Promise<unknown>, advance: () => boolean): Promise<void> {
  let isOver = false;
  const mark = (): void => {
    isOver = true;
  };
  work.then(mark, mark);
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isOver) advance();
  }
  await work;
}

/** How long saving took which ends with its signal alone, and why that ended. `meanwhile` happens when it has begun. */
async function saving(
  begin: (next: Next) => Promise<unknown>,
  meanwhile: (next: Next) => Promise<unknown> = async () => undefined,
): Promise<{ readonly tookMs: number; readonly why: string; readonly status: string | undefined }> {
  const clock = createVirtualClock();
  const state = createMemoryState();
  const first = createMemoryStore({ clock, state });
  const host = createTestHost(PLAN, { store: first, stages: { a: ["hang", {}] } });
  const lost = host.start();
  await host.busy();
  host.inbox.fail("killed");
  await expect(lost).rejects.toBe("killed");
  await first.close();

  const store = createMemoryStore({ clock, state });
  const { runs, lease, control, journal, breakers } = store;
  const { run, killSwitch } = host;
  const ended = { tookMs: -1, why: "" };
  const salvage: Workspaces["salvage"] = async (_place, _label, signal) => {
    const begun = clock.now();
    await meanwhile({ run, engine, store, killSwitch });
    await new Promise<void>((resolve) => {
      if (signal?.aborted === true) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    Object.assign(ended, { tookMs: clock.now() - begun, why: String(signal?.reason) });
    return null;
  };
  const workspaces = { ...host.ports.workspaces, salvage };
  const engine = createEmbeddedEngine({
    ports: { ...host.ports, clock, journal, breakers, killSwitch, workspaces },
    ...{ runs, lease, control },
  });
  await settled(begin({ run, engine, store, killSwitch }), clock.advance);
  return { ...ended, status: (await runs.get(run))?.status };
}

const resume = async ({ engine, run }: Next): Promise<unknown> => (await engine.resume(run, BY)).ended;
const cancel = ({ engine, run }: Next): Promise<unknown> => engine.cancel(run, "ann");
const request = ({ store, run }: Next): Promise<unknown> => store.control.request(run, { ...BY, kind: "cancel" });
const pull = ({ killSwitch }: Next): Promise<unknown> => killSwitch.pull(PULL);
const OVER = "its time was over (10s of the stage and 30s)";

it.each([
  ["40 s if the run goes on", resume, undefined, 40_000, OVER, "succeeded"],
  [
    "40 s if it is to pause",
    resume,
    ({ store, run }: Next) => store.control.request(run, { ...BY, kind: "pause" }),
    40_000,
    OVER,
    "succeeded",
  ],
  ["5 s if the run is cancelled", cancel, undefined, 5000, "the run is ending", "cancelled"],
  ["5 s from when another process cancels it", resume, request, 5000, "the run is ending", "cancelled"],
  [
    "5 s if the lost host had not heard the cancel",
    (next: Next) => request(next).then(() => resume(next)),
    undefined,
    5000,
    "the run is ending",
    "cancelled",
  ],
  [
    "300 ms if the run is killed",
    ({ engine, run }: Next) => engine.kill(run, { ...BY, why: "" }),
    undefined,
    300,
    "the run was killed",
    "killed",
  ],
  [
    "300 ms if the kill switch is on when it is cancelled",
    (next: Next) => pull(next).then(() => cancel(next)),
    undefined,
    300,
    "the run was killed",
    "killed",
  ],
  ["300 ms from when the kill switch is pulled", resume, pull, 300, "the run was killed", "killed"],
] as const)("has %s", async (_name, begin, meanwhile, tookMs, why, status) => {
  expect(await saving(begin, meanwhile)).toEqual({ tookMs, why, status });
});
