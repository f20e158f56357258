/** Executor: runs one process under supervision. Walls (sandbox modes) are adapters of this port. */

import type { RunId } from "../base/ids.ts";
import type { JsonValue } from "../base/json.ts";
import type { Capture } from "../blueprint/blueprint.ts";
import type { Wall } from "../plan/plan.ts";
import type { ArtifactRef, Cause, LogRef, RefusedHost, ResourceUse } from "../run/events.ts";
import type { Mount } from "./sandbox.ts";

export interface ProcessRequest {
  readonly run: RunId;
  /** Path of the stage. */
  readonly stage: string;
  readonly attempt: number;
  /** Idempotency key; the process gets it as PAWL_KEY. */
  readonly key: string;
  /** What to start: exactly this, nothing is looked up or expanded except the program on PATH. */
  readonly argv: readonly string[];
  /** Added to the environment the executor gives to every process. */
  readonly env: Readonly<Record<string, string>>;
  /** The workspace; null: the project root. */
  readonly folder: string | null;
  /** What it needs behind a wall besides the workspace. */
  readonly mounts: readonly Mount[];
  /** Where in the workspace the project lies; empty: the whole of it is the project. */
  readonly project: string;
  /** Relative to the project; must stay below the workspace. */
  readonly cwd: string;
  readonly wall: Wall;
  readonly timeoutMs: number;
  /** End the process when nothing of it made progress for so long; null: never. */
  readonly stallMs: number | null;
  readonly capture: Capture;
  /** Artifacts to lay out as files; the process finds each path in PAWL_INPUT_<NAME> (upper case, `_` for every other character). */
  readonly inputs: Readonly<Record<string, ArtifactRef>>;
  /** Inputs to lay out without hidden characters. */
  readonly strip: readonly string[];
  /** Files to store after exit 0; a missing one makes the report `invalid_output`. */
  readonly outputs: readonly { readonly name: string; readonly path: string }[];
  /**
   * Globs from the top of the workspace: the files there that the process has written are stored, however it ended, under `./` and their
   * path. Links are not followed, and there is a most of files and bytes. The folder that a glob begins with is there when the process begins.
   */
  readonly keep?: readonly string[];
  /** What a gate wants to read, however the process ended: a file below the working directory; null: standard output. */
  readonly evidence?: { readonly report: string | null };
  /** Socket of the gateway for models, to be reached from behind the wall. */
  readonly modelSocket?: string;
  /** Somebody talks with the process while it runs; without it, its standard input is closed. */
  readonly dialogue?: Dialogue;
}

/** A talk over standard input and output. What is said is logged like any output; the talk itself is neither redacted nor capped. */
export interface Dialogue {
  /** The process has begun. `send` resolves when the text was taken; after the end of the process, or of the input, it does nothing. */
  begin(input: { send(text: string): Promise<void>; end(): void }): void;
  /** Standard output as it comes; must not throw. While it has not resolved, nothing more is read. Not called once the process is reported. */
  onOutput(chunk: Uint8Array): void | Promise<void>;
}

export type AttemptName = Pick<ProcessRequest, "run" | "stage" | "attempt">;

/** Facts about an ended process. Outcomes are data: the executor rejects only for defects and for a store that fails. */
export interface ProcessReport {
  readonly cause: Exclude<Cause, "child" | "circuit_open" | "defect" | "invalid_input">;
  readonly exit?: number;
  readonly signal?: string;
  readonly error?: string;
  /** Standard output as `capture` asks; only with cause `ok`. */
  readonly output?: JsonValue;
  /** Standard output and error as they came, redacted and capped. */
  readonly log: LogRef;
  readonly artifacts: Readonly<Record<string, ArtifactRef>>;
  /** At least so many files that `keep` covers were not stored. */
  readonly unkept?: number;
  readonly used?: ResourceUse;
  readonly refused?: readonly RefusedHost[];
  /** What `evidence` asked for, redacted and whole; or why there is none. */
  readonly evidence?: { readonly ref: ArtifactRef } | { readonly problem: string };
  /** How many hidden characters were taken out of which input; none where there were none. */
  readonly stripped?: Readonly<Record<string, number>>;
}

export interface Executor {
  /**
   * Starts the process in its own group, with stdin closed when there is no dialogue, and resolves when it and its group are gone.
   * When `signal` aborts, for whichever reason, the group is ended (TERM, then KILL; with the reason "kill" at once) and the
   * cause is `killed`. A signal that has aborted before starts nothing.
   * `onOutput` sees redacted text as it comes; it must not throw.
   */
  execute(request: ProcessRequest, signal: AbortSignal, onOutput: (text: string) => void): Promise<ProcessReport>;
  /** Ends whatever an earlier host, now dead, left running for this key. Resolves when it is gone. */
  reap(key: string): Promise<void>;
  /**
   * Stores what an attempt had written that an earlier host did not see to its end, or whose end it did not record; null:
   * it had written nothing. The same each time, until the attempt is forgotten.
   */
  salvage(attempt: AttemptName): Promise<LogRef | null>;
  /** The end of the attempt is recorded: what was kept for a next host is removed. Idempotent. */
  forget(attempt: AttemptName): Promise<void>;
  /** The run is over: whatever is kept of its attempts is removed, what they last said of themselves too. Idempotent. */
  leave(run: RunId): Promise<void>;
  /** Runs of which something is kept. */
  kept(): Promise<readonly RunId[]>;
}
