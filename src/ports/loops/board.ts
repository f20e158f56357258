/**
 * Board: what the coordinator keeps, as documents with names, shared by every process of a project. The laws of what they say are in
 * src/loops/coordinate; here is only that they are changed one after the other and that nothing of a change is lost.
 */
import type { JsonValue } from "../../base/json.ts";

/** null: there is no such document; in what is kept: there shall be none. */
export type Page = JsonValue | null;

export interface Changed<T> {
  /** In the order of the names. */
  readonly keep: readonly Page[];
  readonly result: T;
}

export interface Board {
  /**
   * Changes these documents in one step: no other process reads or changes them meanwhile. Resolves when it would survive a power cut. `law` is
   * called once, does nothing else, and when it throws nothing is changed.
   */
  change<T>(names: readonly string[], law: (found: readonly Page[]) => Changed<T>): Promise<T>;
  read(name: string): Promise<Page>;
  /** Names this process for as long as the store is open; no other ever has its name. Rejects where nothing may be written. */
  host(): Promise<string>;
  /** Whether the process of that name is gone, however it ended. In doubt it is not. */
  isGone(host: string): Promise<boolean>;
  /** Documents whose names begin with `prefix`, in the order of their names, those after `after`; at most `limit`. */
  list(
    prefix: string,
    after: string,
    limit: number,
  ): Promise<readonly { readonly name: string; readonly body: JsonValue }[]>;
}
