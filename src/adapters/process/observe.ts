/** What a running process shows of itself: its output, its progress and what it uses, each held against its limit. */
import { formatDuration } from "../../base/duration.ts";
import type { Resources } from "../../plan/plan.ts";
import type { Ending } from "./classify.ts";
import type { Child } from "./spawn.ts";
import { watchSilence } from "./watch/deadline.ts";
import { type Group, HARD_BELOW } from "./watch/group.ts";
import { exceeded, tooManyProcesses, tooMuchMemory, tooMuchOutput } from "./watch/limits.ts";
import { createProgress } from "./watch/progress.ts";
import { createSampler } from "./watch/sampler.ts";
import type { Tree, TreeSample } from "./watch/tree.ts";

export interface Observation {
  readonly child: Child;
  readonly tree: Tree;
  readonly stallMs: number | null;
  readonly limits: Resources;
  readonly group: Group | null;
  /** Until then only those are there that build the wall; what they take is not held against the program. */
  readonly hasBegun: () => boolean;
  readonly onChunk: (stream: "stdout" | "stderr", chunk: Buffer) => void;
  readonly onSample: (sample: TreeSample) => void;
}

const LOOK_EVERY_MS = 250;
const LOOK_AT_MEMORY_MS = 50;
/** Processes that start processes double with each look that is missed. */
const LOOK_AT_PROCESSES_MS = 20;
/** Without a limit of its own. */
const MOST_LOOKED_AT = 10_000;
const MOST_OF_THE_WALL = 16;

export interface Observer {
  /** Stops every watch, but for reading what is still in the pipes. */
  stop(): void;
  /** The limit that it has passed, although it ended by itself before we saw that; null: none. */
  lastWord(): Ending | null;
  /** The limit of output that it has passed, also with what is read after its end; null: it has not. */
  overflow(): Ending | null;
}

export function observe(subject: Observation, stopBecause: (why: Ending) => void): Observer {
  const { tree, stallMs, limits, group, hasBegun } = subject;
  const progress = createProgress();
  let hasMoved = false;
  const everyMs = Math.min(pauseFor(limits, group), (stallMs ?? 1000) / 4);
  const most = Math.min(limits.processes ?? MOST_LOOKED_AT, MOST_LOOKED_AT) + MOST_OF_THE_WALL;
  const sampler = createSampler(tree, { everyMs, most }, (sample) => {
    hasMoved = progress.compare(sample, performance.now());
    if (hasMoved) silence?.touch();
    subject.onSample(sample);
    const why = hasBegun() ? (exceeded(limits, sample, tree) ?? toldBy(group, limits)) : null;
    if (why !== null) stopBecause(why);
  });
  const silence =
    stallMs === null
      ? undefined
      : watchSilence(stallMs, () => {
          // The last look may be old: whoever moved on since then is not stalled.
          sampler.look();
          if (!hasMoved) stopBecause(noProgress(stallMs));
        });
  const overflow = watchPipes(subject, () => silence?.touch(), stopBecause);
  return {
    stop: () => {
      sampler.stop();
      silence?.cancel();
    },
    lastWord: () => {
      const few = hasBegun() && limits.processes !== null && limits.processes < HARD_BELOW;
      return toldBy(group, limits) ?? (few ? exceeded(limits, tree.look(most), tree) : null);
    },
    overflow,
  };
}

/** The sooner, the faster a limit can be passed by far. */
function pauseFor({ memoryBytes, processes }: Resources, group: Group | null): number {
  if (group === null && processes !== null && processes < HARD_BELOW) return LOOK_AT_PROCESSES_MS;
  return memoryBytes === null ? LOOK_EVERY_MS : LOOK_AT_MEMORY_MS;
}

function watchPipes(
  { child, limits: { outputBytes: limit }, onChunk }: Observation,
  onOutput: () => void,
  stopBecause: (why: Ending) => void,
): () => Ending | null {
  let outputBytes = 0;
  const overflow = (): Ending | null => (limit !== null && outputBytes > limit ? tooMuchOutput(limit) : null);
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].on("data", (chunk: Buffer) => {
      onOutput();
      outputBytes += chunk.length;
      onChunk(stream, chunk);
      const why = overflow();
      if (why !== null) stopBecause(why);
    });
    // A broken pipe ends the stream; how the process ended is known from the process.
    child[stream].on("error", () => undefined);
  }
  return overflow;
}

function noProgress(stallMs: number): Ending {
  const what = `was ended: it made no progress for ${formatDuration(stallMs)}`;
  return { cause: "stall", what, isSudden: false };
}

/** What the kernel says about the group: it refuses at the limit, and we end what goes on asking. */
function toldBy(group: Group | null, limits: Resources): Ending | null {
  if (group === null) return null;
  const { refusedStarts, oomKills, peakBytes } = group.facts();
  if (refusedStarts > 0 && limits.processes !== null) return tooManyProcesses(limits.processes);
  if (oomKills > 0 && limits.memoryBytes !== null)
    return tooMuchMemory(limits.memoryBytes, peakBytes ?? limits.memoryBytes);
  return null;
}
