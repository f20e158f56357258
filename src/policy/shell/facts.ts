/** What is known of a shell text or of an argument list before it is executed. Whatever is not known is said to be unknown. */

/** null stands for one or more arguments that nobody knows yet. */
export type Argv = readonly (string | null)[];

/** Variables set for a command; a value of null is not known. */
export type Env = readonly (readonly [string, string | null])[];

export interface ShellCommand {
  readonly argv: Argv;
  readonly env: Env;
  /** What it reads on standard input, if the text says it; null: the text pipes something into it that is not known. */
  readonly input?: string | null;
  /** Folders in which it may be started, from where the text begins; without it, there alone. */
  readonly folders?: readonly string[];
  /** Paths that begin as these do although the rest is not known: `/*`, `~/x?`, `$HOME`. */
  readonly beginnings?: readonly string[];
}

interface Found {
  /** Every simple command that may be executed, with the variables set for it. */
  readonly commands: readonly ShellCommand[];
  /** Every file that a redirection opens; null: which one is not known. */
  readonly files: readonly { readonly access: "read" | "edit"; readonly path: string | null }[];
}

export type ShellFacts =
  | ({ readonly ok: true } & Found)
  /** Not everything in it can be told; `commands` and `files` are what was found nevertheless. */
  | ({ readonly ok: false; readonly why: string } & Found);

/** A program as it is about to start. */
export interface Start {
  readonly argv: Argv;
  readonly input?: string | null;
}

/** The program starts others: their argument lists, and the texts that shells read. */
export interface Wrapper {
  readonly kind: "wrapper";
  readonly inner: readonly Argv[];
  readonly scripts: readonly string[];
  /** Variables that it sets for them. */
  readonly env?: Env;
  /** Commands that it may start besides; only rules that ask or deny look at them. */
  readonly guesses?: readonly Argv[];
  /**
   * It is more than the sum of what it starts, so a rule must allow the wrapper too: `rule`. `name`: that rule stands for the commands
   * inside as well, as long as no rule asks about them or denies them.
   */
  readonly needs?: "rule" | "name";
}

/** The same command with its options elsewhere. The first spelling is the plain one; the others are only for rules that ask or deny. */
export interface Respelled {
  readonly kind: "respelled";
  readonly spellings: readonly [Argv, ...Argv[]];
  /** A rule that allows the plain spelling allows this one. */
  readonly isHarmless: boolean;
}

/** The program starts something that cannot be told. */
export interface Opaque {
  readonly kind: "opaque";
  readonly why: string;
  /**
   * `program`: it does its own work, in a language or a place of its own, so a rule that names it allows that. `commands`: it starts
   * commands, so only a rule that names all of it does.
   */
  readonly hides: "program" | "commands";
  /** Commands and shell texts that it may start; only rules that ask or deny look at them. */
  readonly guesses: readonly Argv[];
  readonly texts: readonly string[];
}

/**
 * `plain`: the program does its own work. `undescribed`: as far as is known; but its words may begin commands, so rules that ask or deny
 * look at those.
 */
export type Unwrapped = { readonly kind: "plain" } | { readonly kind: "undescribed" } | Wrapper | Respelled | Opaque;
