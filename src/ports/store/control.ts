/** Control: what people ask of a run from any process. A request is durable until its host has taken it into the journal. */
import type { RunId } from "../../base/ids.ts";

export interface ControlRequest {
  readonly kind: "cancel" | "pause";
  readonly by: string;
}

export interface Control {
  /** Stores a request; resolves when it is durable. Asking twice is asking once. */
  request(run: RunId, request: ControlRequest): Promise<void>;
  /**
   * Calls back, soon after each request for this run, with the requests not yet settled; the first call comes at once
   * if there are any; of a run that does not exist yet there are none. Returns a function that ends the watch.
   */
  watch(run: RunId, onRequest: (request: ControlRequest) => void, isNew?: boolean): () => void;
  /** Forgets the requests of this run: they are in its journal, or it has ended. */
  settle(run: RunId): Promise<void>;
}
