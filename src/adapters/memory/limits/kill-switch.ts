/** The kill switch in memory. Switches made on the same flags see each other, as processes do that share a folder. */
import type { RunId } from "../../../base/ids.ts";
import type { KillScope, KillSwitch, Pulled } from "../../../ports/stop/kill-switch.ts";

export interface MemoryFlags {
  readonly pulled: Map<KillScope, Pulled>;
  readonly watches: Set<() => void>;
}

export function createMemoryFlags(): MemoryFlags {
  return { pulled: new Map(), watches: new Set() };
}

export function createMemoryKillSwitch(flags: MemoryFlags = createMemoryFlags()): KillSwitch {
  const find = (scope: KillScope): Pulled | null => flags.pulled.get("all") ?? flags.pulled.get(scope) ?? null;
  return {
    async pull(pull) {
      if (!flags.pulled.has(pull.scope))
        flags.pulled.set(pull.scope, { ...pull, source: `memory:${pull.scope}`, isForeign: false });
      for (const look of [...flags.watches]) look();
    },
    pulled: find,
    watch(run: RunId, onPull) {
      const look = (): void => {
        const pulled = find(run);
        if (pulled !== null && flags.watches.delete(look)) onPull(pulled);
      };
      flags.watches.add(look);
      // Not before the caller has what ends the watch.
      queueMicrotask(look);
      return () => {
        flags.watches.delete(look);
      };
    },
    async release(scope) {
      const released = [...flags.pulled.values()].filter((pulled) => scope === "all" || pulled.scope === scope);
      for (const pulled of released) flags.pulled.delete(pulled.scope);
      return { released, left: find(scope) };
    },
  };
}
