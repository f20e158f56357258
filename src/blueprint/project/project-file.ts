/** `pawl.yaml` as far as it is about loops: what runs by name, when, and how much of the machine it may take. */
import type { Span } from "../../base/diagnostic.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Level } from "../blueprint.ts";

export interface ProjectFile {
  readonly version: 1;
  /** In the order of the file. */
  readonly loops: readonly Loop[];
  readonly lanes: readonly Lane[];
  /** What all runs of this machine may take together; null: as much as there is. */
  readonly machine: Weight | null;
  /** How the file is called in messages. */
  readonly file: string;
}

export interface Loop {
  readonly name: string;
  /** Path of a blueprint, `pattern:ID`, or a folder, as written. */
  readonly source: string;
  readonly kind: "blueprint" | "pattern" | "workspace";
  /** A ceiling. */
  readonly level: Level;
  readonly params: JsonObject;
  /** Of stages that name none; null: as the blueprint says. */
  readonly agent: string | null;
  /** null: only a person starts it. */
  readonly trigger: Trigger | null;
  /** What becomes of times that passed while nobody was there. */
  readonly catchUp: "skip" | "one" | "all";
  /** Each time is put off by up to this. */
  readonly jitterMs: number;
  /** The larger, the sooner. */
  readonly priority: number;
  readonly lane: string;
  /** What its changes may touch: locked while it runs. */
  readonly paths: readonly string[];
  /** The most proposals of it that nobody has answered. */
  readonly maxOpen: number | null;
  readonly weight: Weight;
  /** Where its name stands. */
  readonly where: Span;
}

export type Trigger =
  | { readonly kind: "every"; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: "cron"; readonly text: string; readonly zone: string }
  | { readonly kind: "watch"; readonly files: readonly string[] }
  | { readonly kind: "watch_ref"; readonly ref: string }
  | { readonly kind: "webhook"; readonly secretFile: string };

export interface Weight {
  readonly memoryBytes: number;
  readonly cpus: number;
}

export interface Lane {
  readonly name: string;
  /** The most runs at a time. */
  readonly max: number;
}
