/** A loop as it is served: what was written of it, its times, and the names of its jobs. */
import { sha256Short } from "../../base/digest.ts";
import { canonical, type JsonObject } from "../../base/json.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import { type Zone, zoneOf } from "../../limits/quota/zone.ts";
import { jobRun } from "../../loops/lane/job-run.ts";
import { cachedZone } from "../../loops/schedule/cached-zone.ts";
import { type Times, timesOf } from "../../loops/schedule/times.ts";
import type { Job, Submission } from "../../ports/loops/jobs.ts";

export interface ServedLoop {
  readonly loop: Loop;
  /** null: it is not by time that it runs. */
  readonly times: Times | null;
  /** Digest of what makes it due. */
  readonly trigger: string;
}

/** Loops with one trigger share its times and its digest, and all loops share zones: of ten thousand loops a few are different. */
export function createLoopReader(): (loop: Loop) => ServedLoop {
  const zones = new Map<string, Zone | null>();
  const zone = (name: string): Zone | null => {
    const known = zones.get(name);
    if (known !== undefined) return known;
    const found = zoneOf(name);
    const made = found === null ? null : cachedZone(found);
    zones.set(name, made);
    return made;
  };
  const triggers = new Map<string, Omit<ServedLoop, "loop">>();
  return (loop) => {
    const text = canonical(loop.trigger as unknown as JsonObject);
    const known = triggers.get(text);
    if (known !== undefined) return { loop, times: known.times, trigger: known.trigger };
    const made = { times: timesOf(loop.trigger, zone), trigger: sha256Short(text) };
    triggers.set(text, made);
    return { loop, times: made.times, trigger: made.trigger };
  };
}

/** A name for ever: whoever submits the slot again submits the same job, and whoever runs that makes the same run. */
export function jobId(loop: string, slot: string): string {
  return `${loop}@${slot}`;
}

export function slotOf({ id, loop }: Pick<Job, "id" | "loop">): string {
  return id.slice(loop.length + 1);
}

export function submissionOf({ name, lane, priority, weight, paths }: Loop, slot: string): Submission {
  const id = jobId(name, slot);
  return { id, lane, caller: name, loop: name, run: jobRun(id), priority, weight, paths };
}
