/** Runs in memory: nobody can take one away, so there is no chain that would tell. */
import type { RunChain } from "../../../ports/store/run-chain.ts";
import type { MemoryState } from "../state.ts";

interface ChainParts {
  readonly state: MemoryState;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

export function createMemoryRunChain({ state, guarded }: ChainParts): RunChain {
  return {
    problems: () => guarded(() => []),
    standing: () =>
      guarded(() => ({
        runs: state.order.length,
        events: state.order.reduce((sum, { links }) => sum + links.length, 0),
        isChained: true,
        isAccepted: false,
        problems: [],
      })),
    check: () => guarded(() => ({ faults: [], next: null })),
    list: (after) => guarded(() => ({ runs: state.order.slice(after).map(({ row }) => row.run), next: null })),
    migratedUntil: () => guarded(() => 0),
  };
}
