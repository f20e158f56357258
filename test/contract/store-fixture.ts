/** What a contract suite of the stores needs from an adapter. */
import type { Store } from "../../src/ports/store/store.ts";

export interface StoreFixture {
  /** A store with nothing in it. Closed by whoever opened it when the test is over. */
  readonly store: Store;
  /** Another store on the same runs, as another process would open it. */
  another(): Promise<Store>;
}

export type OpenStore = () => Promise<StoreFixture>;
