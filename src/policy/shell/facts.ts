/** What is known of a shell text or of an argument list before it is executed. Whatever is not known is said to be unknown. */

/** null stands for one or more arguments that nobody knows yet. */
export type Argv = readonly (string | null)[];

export type ShellFacts =
  | {
      readonly ok: true;
      /** Every simple command that may be executed, with the variables set for it; a value of null is not known. */
      readonly commands: readonly {
        readonly argv: readonly (string | null)[];
        readonly env: readonly (readonly [string, string | null])[];
      }[];
      /** Every file that a redirection opens; null: which one is not known. */
      readonly files: readonly { readonly access: "read" | "edit"; readonly path: string | null }[];
    }
  | { readonly ok: false; readonly why: string };

export type Unwrapped =
  /** The program does its own work. */
  | { readonly kind: "plain" }
  /** The program starts others: their argument lists, and the shell text it reads if there is one. */
  | { readonly kind: "wrapper"; readonly inner: readonly Argv[]; readonly script?: string }
  /** The program starts something that cannot be told. */
  | { readonly kind: "opaque"; readonly why: string };
