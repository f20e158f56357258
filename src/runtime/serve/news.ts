/** What happens while loops are served, one line each; for people and as JSON. */
import type { Missed } from "../../loops/schedule/due.ts";

export type News = { readonly at: number } & (
  | { readonly type: "serve.ready"; readonly loops: number; readonly url: string | null; readonly next: Next | null }
  | { readonly type: "serve.reloaded"; readonly loops: number; readonly url: string | null }
  /** So many changes that waited in front of a branch were judged. */
  | { readonly type: "serve.merged"; readonly changes: number }
  | { readonly type: "serve.stopped" }
  /** Something that concerns all loops went wrong; the rest goes on. */
  | { readonly type: "serve.problem"; readonly code: string | null; readonly message: string }
  | { readonly type: "slot.fired"; readonly loop: string; readonly slot: string; readonly run: string }
  /** It came while a run of the loop was open. */
  | { readonly type: "slot.waiting"; readonly loop: string; readonly slot: string }
  | ({ readonly type: "slot.missed"; readonly loop: string; readonly becomes: "nothing" | "one run" } & Missed)
  /** The clock was put back. */
  | { readonly type: "loop.rearmed"; readonly loop: string; readonly next: number }
  | { readonly type: "loop.failed"; readonly loop: string; readonly code: string | null; readonly message: string }
  | { readonly type: "run.began"; readonly loop: string; readonly run: string; readonly again: boolean }
  | {
      readonly type: "run.ended";
      readonly loop: string;
      readonly run: string;
      readonly status: string;
      readonly reason: string | null;
    }
  | { readonly type: "run.put-off"; readonly loop: string; readonly run: string; readonly why: string }
  /** Another process has it. */
  | { readonly type: "run.lost"; readonly loop: string; readonly run: string }
  /** It continues as soon as there is room for it. */
  | { readonly type: "run.answered"; readonly loop: string; readonly run: string }
  /** It was answered and cannot continue; a person must see to it. */
  | {
      readonly type: "run.refused";
      readonly loop: string;
      readonly run: string;
      readonly code: string | null;
      readonly message: string;
    }
  | { readonly type: "run.woken"; readonly run: string; readonly blueprint: string }
  /** It stood still, and what it hosted is taken over; `run` null: it kept everybody from writing. */
  | { readonly type: "host.ended"; readonly pid: number; readonly run: string | null }
  | { readonly type: "delivery.refused"; readonly loop: string | null; readonly why: string }
);

export interface Next {
  readonly loop: string;
  readonly at: number;
}

/** Every kind of news without the time, which is added where it is told. */
export type Untimed<T> = T extends unknown ? Omit<T, "at"> : never;
export type Tell = (news: Untimed<News>) => void;
