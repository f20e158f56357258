/**
 * The unblocker: ends a host of this project that stands still inside a transaction. Nobody can write as long as it does, so nobody could claim what
 * it hosts and end it for that.
 */
import { hostname } from "node:os";
import type { Clock } from "../../../ports/clock.ts";
import type { Writer } from "../../../ports/loops/loop-store.ts";
import type { Runtime } from "../../runtime.ts";
import type { Tell } from "../news.ts";
import { problemOf } from "../problem.ts";
import type { Duty } from "./duty.ts";

export interface UnblockerParts {
  readonly writers: () => Promise<readonly Writer[]>;
  readonly runtime: Pick<Runtime, "evict">;
  readonly clock: Pick<Clock, "after">;
  readonly uptime: () => number;
  readonly leaseMs: number;
  readonly tell: Tell;
}

const SOON_MS = 200;

/** `start` resolves when nobody stands in the way, or nothing can be done about who does: what comes after it may write. */
export function createUnblocker({ writers, runtime, clock, uptime, leaseMs, tell }: UnblockerParts): Duty {
  /** Those that have done nothing since, by what they are and what they had done. */
  let still = new Map<string, number>();
  const given = new Set<string>();
  let cancel: () => void = () => undefined;
  let looking: Promise<boolean> | null = null;
  let stopped = false;

  /** Resolves to whether somebody is inside a transaction whom it may still end. */
  async function look(): Promise<boolean> {
    const found = (await writers()).filter((writer) => !given.has(nameOf(writer)));
    still = new Map(found.map((writer) => [nameOf(writer), still.get(nameOf(writer)) ?? uptime()]));
    for (const writer of found) if (uptime() - (still.get(nameOf(writer)) ?? 0) >= leaseMs) await end(writer);
    return found.length > 0;
  }

  async function end(writer: Writer): Promise<void> {
    const { pid, since } = writer;
    try {
      const isEnded = await runtime.evict({ pid, hostname: hostname(), since });
      if (isEnded) tell({ type: "host.ended", pid, run: null });
    } catch (error) {
      // It is no host of this project: whoever wants to write is told of it.
      given.add(nameOf(writer));
      tell({ type: "serve.problem", ...problemOf(error) });
    }
  }

  function work(): Promise<boolean> {
    looking ??= look().finally(() => {
      looking = null;
      cancel();
      if (!stopped) cancel = clock.after(leaseMs / 3, () => void work());
    });
    return looking;
  }

  return {
    name: "unblocker",
    async start() {
      while ((await work()) && !stopped) await new Promise<void>((resolve) => void clock.after(SOON_MS, resolve));
    },
    once: async () => false,
    async stop() {
      stopped = true;
      cancel();
      await looking;
    },
  };
}

/** Whoever works is another one each time. */
function nameOf({ pid, startTicks, workedTicks }: Writer): string {
  return `${pid} ${startTicks} ${workedTicks}`;
}
