/**
 * The watcher: loops that run when files or a branch change. What they watch becomes one text, compared with the one that is stored:
 * so a change is seen by one of many processes, and also when it came while none was there.
 */
import type { Clock } from "../../../ports/clock.ts";
import type { Slots } from "../../../ports/loops/slots.ts";
import type { Duty } from "../duties/duty.ts";
import type { Firing } from "../firing.ts";
import type { Tell } from "../news.ts";
import { problemOf } from "../problem.ts";
import type { ServedLoop } from "../served-loop.ts";

export interface WatcherParts {
  readonly slots: Pick<Slots, "observe">;
  readonly firing: Firing;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly loops: () => ReadonlyMap<string, ServedLoop>;
  /** The commit of a branch; null: there is none. */
  readonly readRef: (ref: string) => Promise<string | null>;
  /** What the files of these globs are now, as one short text. */
  readonly readFiles: (globs: readonly string[]) => Promise<string>;
}

const EVERY_MS = 5000;
/** Files must have been the same twice: who saves ten files changes the project once. */
const SETTLE_MS = 1000;

export interface Watcher extends Duty {
  /** The loops were read anew: another may watch now. */
  reload(): Promise<void>;
}

export function createWatcher(parts: WatcherParts): Watcher {
  const { clock, loops, tell } = parts;
  const unsettled = new Map<string, string>();
  let cancel: (() => void) | null = null;
  let looking: Promise<boolean> | null = null;
  let stopped = false;

  async function look(served: ServedLoop): Promise<boolean> {
    const { name, catchUp } = served.loop;
    const value = await watched(parts, served);
    if (value === null) return false;
    const before = unsettled.get(name);
    unsettled.set(name, value);
    if (served.loop.trigger?.kind === "watch" && before !== value) return false;
    const seen = await parts.slots.observe(name, value);
    const isMissed = typeof seen === "number" && catchUp === "skip" && !settledHere.has(name);
    settledHere.add(name);
    if (typeof seen !== "number" || isMissed) return false;
    return parts.firing.deliver(served, `change:${seen}:${value.slice(0, 12)}`);
  }
  /** Loops whose state this process has seen once: what changed before that was missed. */
  const settledHere = new Set<string>();

  async function lookAll(): Promise<boolean> {
    let any = false;
    for (const served of loops().values()) {
      if (stopped) break;
      const found = await look(served).catch((error: unknown) => {
        tell({ type: "loop.failed", loop: served.loop.name, ...problemOf(error) });
        return false;
      });
      any ||= found;
    }
    return any;
  }

  function work(): Promise<boolean> {
    looking ??= lookAll().finally(() => {
      looking = null;
      cancel?.();
      if (!stopped && hasWatched(loops()))
        cancel = clock.after(unsettledNow() ? SETTLE_MS : EVERY_MS, () => void work());
    });
    return looking;
  }
  const unsettledNow = (): boolean => settledHere.size < unsettled.size;

  async function begin(): Promise<void> {
    await work();
    if (!unsettledNow()) return;
    // Whatever changes once it is said that somebody serves is seen.
    await new Promise<void>((resolve) => void clock.after(SETTLE_MS, resolve));
    await work();
  }

  return {
    name: "watcher",
    start: begin,
    reload: begin,
    async once() {
      await work();
      return work();
    },
    async stop() {
      stopped = true;
      cancel?.();
      await looking;
    },
  };
}

function hasWatched(loops: ReadonlyMap<string, ServedLoop>): boolean {
  return [...loops.values()].some(({ loop }) => loop.trigger?.kind.startsWith("watch"));
}

/** null: it watches nothing, or that is not there. */
async function watched({ readRef, readFiles }: WatcherParts, { loop }: ServedLoop): Promise<string | null> {
  const { trigger } = loop;
  if (trigger?.kind === "watch_ref") return readRef(trigger.ref);
  return trigger?.kind === "watch" ? readFiles(trigger.files) : null;
}
