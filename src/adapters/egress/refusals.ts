/** What was refused, counted; bounded, because the one who is refused decides how often it asks. */
import type { RefusedHost } from "../../run/events.ts";
import type { Refusal } from "./target.ts";

const MAX_DIFFERENT = 100;

export interface Refusals {
  add(refusal: Refusal): void;
  /** In the order they first came. */
  list(): readonly RefusedHost[];
}

export function createRefusals(): Refusals {
  const seen = new Map<string, RefusedHost>();
  return {
    add({ host, port, why }) {
      const key = JSON.stringify([host, port, why]);
      const times = seen.get(key)?.times ?? 0;
      if (times === 0 && seen.size >= MAX_DIFFERENT) return;
      seen.set(key, { host, port, why, times: times + 1 });
    },
    list: () => [...seen.values()],
  };
}
