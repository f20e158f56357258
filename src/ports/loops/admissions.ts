/** Admissions: what runs on this machine has said it takes, for every process of the user. The law is src/limits/admission. */
import type { Weight } from "../../limits/admission/admission.ts";
import type { Holder } from "../store/run-index.ts";

export interface AdmissionAsk {
  /** Names what is to run, among all that this process asks for. */
  readonly key: string;
  readonly weight: Weight;
  /** What all together may take. */
  readonly total: Weight;
}

export type AdmissionAnswer = { readonly admitted: true } | { readonly admitted: false; readonly why: string };

export interface AdmissionRow {
  readonly key: string;
  readonly weight: Weight;
  readonly isHeld: boolean;
  readonly holder: Holder;
}

export interface Admissions {
  /**
   * Holds the weight until `leave`, or keeps a place in line for whoever asks again within ten seconds. Of any number of processes that
   * ask at once no more are admitted than fit. What a process held that is gone is free at once, and so is its place.
   */
  ask(ask: AdmissionAsk): Promise<AdmissionAnswer>;
  /** Gives back what is held under the key, or leaves the line. */
  leave(key: string): Promise<void>;
  /** What runs, then who waits, each in the order they came. */
  list(): Promise<readonly AdmissionRow[]>;
}
