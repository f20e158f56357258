/** A rule is a pattern with an effect. Rules come from outside the workspace and are frozen into the plan. */

export type Effect = "allow" | "ask" | "deny";

export type Pattern =
  /** `*` stands for one argument, `**` (last only) for any number; `*` inside an argument for any characters. */
  | { readonly run: readonly string[] }
  /** `*` stands for any characters. */
  | { readonly shell: string }
  /** An action name; a trailing `.*` stands for a whole family. */
  | { readonly action: string };

export interface Rule {
  /** Stable name shown in events: where it came from and its place there, such as `blueprint.allow[2]`. */
  readonly id: string;
  readonly effect: Effect;
  readonly pattern: Pattern;
  /** Shown to a person when the rule decides. */
  readonly because?: string;
}

/** A decision always names its rule; `default` is the rule that denies what no other rule mentions. */
export interface Decision {
  readonly effect: Effect;
  readonly rule: string;
  readonly why: string;
}
