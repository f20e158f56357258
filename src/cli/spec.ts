/** CommandSpec: all that is known of a command before it runs. Parsing, help and the reference page are made from it. */
import type { Runtime } from "../runtime/runtime.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Format, Output } from "./output.ts";

export type Group = "begin" | "run" | "see" | "decide" | "trust";

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly required: boolean;
  /** Takes all that is left; only on the last argument. */
  readonly rest?: boolean;
}

/** `flag` takes no value; `list` may be given many times; `count` is a whole number of at least `min`. */
export type OptionSpec = { readonly flags: string; readonly summary: string } & (
  | { readonly kind: "flag" }
  | { readonly kind: "text"; readonly default?: string; readonly choices?: readonly string[] }
  | { readonly kind: "count"; readonly min: number; readonly default?: number }
  | { readonly kind: "list" }
);

export interface Example {
  readonly line: string;
  readonly does: string;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** Full sentences under the summary in help. */
  readonly details: readonly string[];
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  readonly examples: readonly Example[];
  readonly exits: readonly ExitCode[];
  /** Formats besides human; every command has `json`. */
  readonly formats: readonly Exclude<Format, "human">[];
  run(context: Context): Promise<ExitCode>;
}

/** What the user gave, after parsing. Asking for a name the spec does not have is a defect and throws. */
export interface Given {
  text(name: string): string | undefined;
  count(name: string): number | undefined;
  flag(name: string): boolean;
  list(name: string): readonly string[];
}

export interface OpenOptions {
  /** Only looks: creates no state and changes none. */
  readonly readOnly: boolean;
  /** Goes on although acknowledged events are lost (JOURNAL_WAL_MISSING). */
  readonly acceptLoss?: boolean;
  /** Also where a store is lost; what asks it for something is refused later. */
  readonly evenLost?: boolean;
}

/** Everything a command may use. */
export interface Context {
  readonly given: Given;
  /** The project root, absolute. */
  readonly root: string;
  readonly out: Output;
  readonly interrupts: Interrupts;
  /** Directory that relative paths of the user start from. */
  readonly cwd: string;
  /** Who asks, for the journal. */
  readonly by: string;
  /** It was called by a stage of a run, and so by no person. */
  readonly isInStage: boolean;
  now(): number;
  /** Opens the runtime of the project; it is closed after the command. */
  open(options: OpenOptions): Promise<Runtime>;
}
