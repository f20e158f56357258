/** The part of the contract of the Engine port that is about the kill switch. */
import { describe, expect, it } from "vitest";
import { effectKey, type RunId } from "../../src/base/ids.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { NewRun } from "../../src/ports/engine.ts";
import {
  busy,
  type CreateEngine,
  type EngineFixture,
  type EngineHost,
  type EngineScript,
  openEngines,
  START_TREE,
  story,
} from "../support/engine-fixture.ts";
import { buildRunId } from "../support/events-builder.ts";
import { planFrom } from "../support/plan-from-yaml.ts";
import type { OpenStore } from "./store-fixture.ts";

const TWO = planFrom(`
stages:
  - { id: a, command: [ok], effect: idempotent }
  - { id: b, command: [ok], effect: idempotent }
`);
const RESTING = {
  waiting: planFrom("stages:\n  - { id: a, command: [ask], effect: idempotent }\n"),
  paused: planFrom("stages:\n  - { id: a, command: [ok], on_success: paused }\n"),
};
const newRun = (plan: Plan): NewRun => ({ run: buildRunId(), plan, params: {}, tree: START_TREE });
const code = (name: string) => expect.objectContaining({ code: name });
const BY = { by: "ann" };

interface Found {
  readonly fixture: EngineFixture;
  readonly host: EngineHost;
  readonly run: RunId;
}

export function engineKillContract(name: string, open: OpenStore, create: CreateEngine): void {
  const engines = (script: EngineScript = {}): Promise<EngineFixture> => openEngines(open, create, script);

  /** A run whose stage `a` hangs on the first host, which is then lost. */
  async function lostRun(): Promise<Found> {
    const fixture = await engines({ stages: { a: ["hang", {}] } });
    const first = await fixture.host();
    const { run } = await first.engine.start(newRun(TWO));
    await busy(fixture, run, "a");
    await first.lose();
    return { fixture, run, host: await fixture.host() };
  }

  async function restingRun(status: keyof typeof RESTING): Promise<Found> {
    const fixture = await engines();
    const host = await fixture.host();
    const hosted = await host.engine.start(newRun(RESTING[status]));
    expect(await hosted.ended).toMatchObject({ status });
    return { fixture, host, run: hosted.run };
  }

  describe(`Engine contract: ${name}: kill`, () => {
    const REFUSED = code("RUN_KILL_SWITCH");
    const KILL = { by: "ann", why: "enough" };

    it("ends a run on whichever host it is as soon as the switch is pulled for it, and no other run", async () => {
      const fixture = await engines({ stages: { a: ["hang"] } });
      const { engine, store } = await fixture.host();
      const [one, other] = [await engine.start(newRun(TWO)), await engine.start(newRun(TWO))];
      for (const { run } of [one, other]) await busy(fixture, run, "a");
      await fixture.kill(one.run);
      expect(await one.ended).toMatchObject({ status: "killed", reason: "kill_switch" });
      expect(await story(store, one.run)).toEqual([
        ...["run.created", "run.started", "stage.started a 1", "run.stopping kill_switch"],
        ...["stage.finished a 1 failure killed", "run.finished killed kill_switch"],
      ]);
      expect(await engine.replay(one.run)).toMatchObject({ equal: true });
      expect((await store.runs.get(other.run))?.status).toBe("running");
      await engine.cancel(other.run, "ann");
      await other.ended;
    });

    it("ends an interrupted run here, ends what it left running, and starts nothing", async () => {
      const { fixture, run, host } = await lostRun();
      await fixture.kill(run);
      await host.engine.kill(run, KILL);
      expect(fixture.reaped).toEqual([effectKey(run, "a", 1)]);
      expect(fixture.started).toEqual(["a 1"]);
      expect((await story(host.store, run)).slice(-4)).toEqual([
        ...["run.resumed interruption", "stage.interrupted a 1", "run.stopping kill_switch"],
        "run.finished killed kill_switch",
      ]);
      await expect(host.engine.resume(run, BY)).rejects.toEqual(code("RUN_ENDED"));
    });

    it("never goes on with a run that was killed while its host was lost, and records its end when somebody tries", async () => {
      const { fixture, run, host } = await lostRun();
      await fixture.kill(run);
      await expect(host.engine.resume(run, BY)).rejects.toEqual(REFUSED);
      expect(await host.store.runs.get(run)).toMatchObject({ status: "killed", reason: "kill_switch", holder: null });
      expect(fixture.started).toEqual(["a 1"]);
    });

    it.each(["waiting", "paused"] as const)("ends a run that is %s", async (status) => {
      const { host, run } = await restingRun(status);
      await host.engine.kill(run, KILL);
      expect(await host.store.runs.get(run)).toMatchObject({ status: "killed", reason: "kill_switch", holder: null });
      expect(await host.engine.replay(run)).toMatchObject({ equal: true });
    });

    it("lets nothing begin and nothing go on while it is pulled for all, and everything when it is released", async () => {
      const { fixture, host, run } = await restingRun("paused");
      await fixture.kill("all");
      await expect(host.engine.start(newRun(TWO))).rejects.toEqual(REFUSED);
      const before = await story(host.store, run);
      await expect(host.engine.resume(run, BY)).rejects.toEqual(REFUSED);
      expect(await story(host.store, run)).toEqual(before);
      await fixture.release();
      expect(await (await host.engine.resume(run, BY)).ended).toMatchObject({ status: "succeeded" });
    });

    it("leaves a run to the living host that has it", async () => {
      const fixture = await engines({ stages: { a: ["hang"] } });
      const { engine } = await fixture.host();
      const { run, ended } = await engine.start(newRun(TWO));
      await busy(fixture, run, "a");
      await expect((await fixture.host()).engine.kill(run, KILL)).rejects.toEqual(code("RUN_HELD"));
      await engine.cancel(run, "ann");
      await ended;
    });
  });
}
