/** What a contract suite of the store of loops needs from an adapter. */
import type { LoopStore } from "../../src/ports/loops/loop-store.ts";

export interface LoopsFixture {
  /** A store with nothing in it. Closed by whoever opened it when the test is over. */
  readonly loops: LoopStore;
  /** Another store on the same loops, as another process would open it. */
  another(): Promise<LoopStore>;
  /** Lets so much time pass on the clock of leases. */
  pass(ms: number): void;
}

export type OpenLoops = () => Promise<LoopsFixture>;
