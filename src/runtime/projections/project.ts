/** Projections of runs that came through a door: which projector a run has, and how it is told what happens. */
import type { RunId } from "../../base/ids.ts";
import type { DoorName, Plan } from "../../plan/plan.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { Hosted, HostedEnd } from "../../ports/engine.ts";
import type { Heartbeats } from "../../ports/heartbeats.ts";
import type { Journal } from "../../ports/store/journal.ts";
import type { StoredEvent } from "../../run/events.ts";
import type { SharedTexts } from "../loops/tick-parts.ts";
import type { BeginProjector, Projector } from "./projector.ts";

/** By the door that a run came through; a door without one has no files to keep true. */
const PROJECTORS: Partial<Record<DoorName, () => Promise<BeginProjector>>> = {
  openloop: async () => (await import("./openloop/projector.ts")).beginOpenloop,
  openexec: async () => (await import("./openexec/projector.ts")).beginOpenexec,
  pattern: async () => (await import("./pattern/projector.ts")).beginPattern,
};

export interface ProjectionParts {
  readonly root: string;
  readonly journal: Pick<Journal, "read" | "follow">;
  readonly artifacts: Pick<Artifacts, "get">;
  readonly heartbeats: Pick<Heartbeats, "read">;
  readonly texts: SharedTexts;
  /** Hears of what could not be written; once for each reason. */
  onNote(run: RunId, text: string): void;
  /** Other projectors than those of the doors. */
  readonly projectors?: typeof PROJECTORS;
  /** Time between two looks at what processes are doing. */
  readonly liveMs?: number;
}

const LIVE_MS = 500;
const PAGE = 500;

/** A run that is hosted here, its files kept true until its host lets go of it: `ended` waits for that. */
export async function projectHosted(parts: ProjectionParts, hosted: Hosted, plan: Plan): Promise<Hosted> {
  const teller = await begin(parts, hosted.run, plan);
  if (teller === null) return hosted;
  return { run: hosted.run, ended: watchToEnd(parts, hosted, teller) };
}

async function watchToEnd(parts: ProjectionParts, { run, ended }: Hosted, teller: Teller): Promise<HostedEnd> {
  const stop = new AbortController();
  const following = follow(parts, run, teller, stop.signal);
  const beating = beat(parts, run, teller, stop.signal);
  try {
    return await ended;
  } finally {
    stop.abort();
    await Promise.all([following, beating]);
    await catchUp(parts, run, teller);
    await teller.end();
  }
}

/** Makes the files of a run again, from its journal. false: it has none. */
export async function rebuild(parts: ProjectionParts, run: RunId, plan: Plan): Promise<boolean> {
  const teller = await begin(parts, run, plan);
  if (teller === null) return false;
  await catchUp(parts, run, teller);
  await teller.end();
  return true;
}

/** A projector whose failures are notes. */
interface Teller {
  /** How many events it was told. */
  told(): number;
  apply(stored: StoredEvent): Promise<void>;
  readonly live: Projector["live"] | undefined;
  end(): Promise<void>;
}

async function begin(parts: ProjectionParts, run: RunId, plan: Plan): Promise<Teller | null> {
  const { origin } = plan;
  const load = origin === undefined ? undefined : (parts.projectors ?? PROJECTORS)[origin.door];
  if (origin === undefined || load === undefined) return null;
  const heard = new Set<string>();
  let turn: Promise<void> = Promise.resolve();
  const safely = (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(work).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      if (!heard.has(text)) parts.onNote(run, text);
      heard.add(text);
    });
    return turn;
  };
  let projector: Projector | undefined;
  await safely(async () => {
    const start = await load();
    const { root, artifacts, texts } = parts;
    projector = await start({ root, run, plan, origin, texts, bytes: ({ sha256 }) => artifacts.get(sha256) });
  });
  if (projector === undefined) return null;
  const { apply, live, end } = projector;
  let told = 0;
  return {
    told: () => told,
    apply(stored) {
      told = stored.seq;
      return safely(() => apply(stored));
    },
    live: live === undefined ? undefined : (beats) => safely(() => live(beats)),
    end: () => safely(end),
  };
}

async function follow({ journal }: ProjectionParts, run: RunId, teller: Teller, signal: AbortSignal): Promise<void> {
  try {
    for await (const stored of journal.follow(run, 0, signal)) await teller.apply(stored);
  } catch {
    // What the journal cannot tell ends its host, which says so; here it only ends the telling.
  }
}

async function catchUp({ journal }: ProjectionParts, run: RunId, teller: Teller): Promise<void> {
  for (;;) {
    const page = await journal.read(run, teller.told(), PAGE).catch(() => []);
    if (page.length === 0) return;
    for (const stored of page) await teller.apply(stored);
  }
}

async function beat(
  { heartbeats, liveMs = LIVE_MS }: ProjectionParts,
  run: RunId,
  { live }: Teller,
  signal: AbortSignal,
): Promise<void> {
  while (live !== undefined && !signal.aborted) {
    await pause(liveMs, signal);
    if (!signal.aborted) await live(await heartbeats.read(run).catch(() => []));
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over);
  });
}
