import { describe, expect, it } from "vitest";
import type { RunId } from "../../base/ids.ts";
import type { Plan } from "../../plan/plan.ts";
import type { HostedEnd } from "../../ports/engine.ts";
import type { Heartbeat } from "../../ports/heartbeats.ts";
import type { StoredEvent } from "../../run/events.ts";
import { type ProjectionParts, projectHosted, rebuild } from "./project.ts";
import type { Projector } from "./projector.ts";

const RUN = "r_1" as RunId;
const PLAN = { origin: { door: "openloop", path: "work" } } as Plan;
const event = (seq: number): StoredEvent => ({ seq, hash: "", event: { type: "run.started", at: seq } });
const END = { run: RUN } as HostedEnd;

interface Told {
  readonly calls: string[];
  readonly notes: string[];
  readonly parts: ProjectionParts;
}

/** A journal of so many events, of which a follower hears `followed`, and a projector that notes what it is told. */
function told(events: number, followed: number, projector: Partial<Projector> = {}): Told {
  const calls: string[] = [];
  const notes: string[] = [];
  const all = Array.from({ length: events }, (_, index) => event(index + 1));
  const parts: ProjectionParts = {
    root: "/project",
    journal: {
      read: async (_, after, limit) => all.filter(({ seq }) => seq > after).slice(0, limit),
      async *follow(_, __, signal) {
        yield* all.slice(0, followed);
        while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1));
      },
    },
    artifacts: { get: async () => new Uint8Array([1]) },
    texts: { read: async () => null, change: () => Promise.reject(new Error("nothing is shared here")) },
    heartbeats: { read: async () => [{ pid: 7 } as Heartbeat] },
    onNote: (run, text) => notes.push(`${run}: ${text}`),
    liveMs: 1,
    projectors: {
      openloop: async () => async (projected) => {
        calls.push(`begin ${projected.run} ${projected.origin.path}`);
        return {
          apply: async ({ seq }) => void calls.push(`apply ${seq}`),
          end: async () => void calls.push("end"),
          ...projector,
        };
      },
    },
  };
  return { calls, notes, parts };
}

describe("projectHosted", () => {
  it("tells every event once, in order, before the end of the host is known", async () => {
    const { calls, parts } = told(5, 3);
    const hosted = await projectHosted(parts, { run: RUN, ended: Promise.resolve(END) }, PLAN);
    expect(await hosted.ended).toBe(END);
    expect(calls).toEqual(["begin r_1 work", ...[1, 2, 3, 4, 5].map((seq) => `apply ${seq}`), "end"]);
  });

  it("shows what processes are doing while the host is there", async () => {
    const seen: (number | null)[] = [];
    let end: (value: HostedEnd) => void = () => undefined;
    const { parts } = told(0, 0, {
      live: async ([beat]) => {
        seen.push(beat?.pid ?? null);
        end(END);
      },
    });
    const ended = new Promise<HostedEnd>((resolve) => {
      end = resolve;
    });
    await (await projectHosted(parts, { run: RUN, ended }, PLAN)).ended;
    expect(seen).toContain(7);
  });

  it("makes a note of what fails, once for each reason, and goes on", async () => {
    const applied: number[] = [];
    const { calls, notes, parts } = told(3, 3, {
      apply: async ({ seq }) => {
        applied.push(seq);
        throw new Error("the disk is full");
      },
    });
    await (await projectHosted(parts, { run: RUN, ended: Promise.resolve(END) }, PLAN)).ended;
    expect([applied, notes, calls.at(-1)]).toEqual([[1, 2, 3], ["r_1: the disk is full"], "end"]);
  });

  it("leaves a run alone that has no projector, or whose projector cannot begin", async () => {
    const { notes, parts } = told(1, 1);
    const hosted = { run: RUN, ended: Promise.resolve(END) };
    expect(await projectHosted({ ...parts, projectors: {} }, hosted, PLAN)).toBe(hosted);
    const broken = { openloop: () => Promise.reject("no such folder") };
    expect(await projectHosted({ ...parts, projectors: broken }, hosted, PLAN)).toBe(hosted);
    expect(notes).toEqual(["r_1: no such folder"]);
  });

  it("fails as its host does, after it has told what there is", async () => {
    const { calls, parts } = told(1, 0);
    const ended = Promise.reject(new Error("the journal failed"));
    const hosted = await projectHosted(parts, { run: RUN, ended }, PLAN);
    await expect(hosted.ended).rejects.toThrow("the journal failed");
    expect(calls).toEqual(["begin r_1 work", "apply 1", "end"]);
  });
});

describe("rebuild", () => {
  it("tells a whole run again from its journal", async () => {
    const { calls, parts } = told(501, 0);
    expect(await rebuild(parts, RUN, PLAN)).toBe(true);
    expect([calls.length, calls.at(-2), calls.at(-1)]).toEqual([503, "apply 501", "end"]);
  });

  it("says so when there is nothing to make", async () => {
    expect(await rebuild(told(1, 1).parts, RUN, {} as Plan)).toBe(false);
  });
});
