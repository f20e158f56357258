/** What is about to happen, as policy sees it: exactly what will be executed, after every reference is resolved. */

export type PolicyRequest =
  /** A process started from an argument list; no shell reads it. */
  | { readonly kind: "run"; readonly argv: readonly string[] }
  /** A text that a shell will read. Allowing programs does not allow shell text: it is its own capability. */
  | { readonly kind: "shell"; readonly script: string }
  /** A registered action. */
  | { readonly kind: "action"; readonly action: string };
