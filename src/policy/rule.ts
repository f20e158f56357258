/** A rule is a pattern with an effect. Rules come from outside the workspace and are frozen into the plan. */

export type Effect = "allow" | "ask" | "deny";

/** The strictest first: of the rules that match, the strictest wins. */
export const EFFECTS = ["deny", "ask", "allow"] as const satisfies readonly Effect[];

export type Pattern =
  /**
   * `*` stands for one argument, `**` (last only) for any number; inside an argument `*` stands for any characters and `{a,b}` for
   * either. `args`, of rules that ask or deny: some argument is a path that one of these globs covers.
   */
  | { readonly run: readonly string[]; readonly args?: readonly string[] }
  /** `*` stands for any characters that mean nothing to a shell, in rules that ask or deny for any; `**` alone for any text. */
  | { readonly shell: string }
  /** An action name; a trailing `.*` stands for a whole family. */
  | { readonly action: string }
  /** A glob over paths. */
  | { readonly read: string }
  | { readonly edit: string }
  /** `host`, `*.host`, either with `:port`; without a port 80 and 443, in rules that ask or deny every port. */
  | { readonly fetch: string }
  /** `*` stands for any characters, `{a,b}` for either. */
  | { readonly tool: string }
  /** `server/tool`, each with `*`. */
  | { readonly mcp: string }
  /** An operation such as `push`; `ref`: one of its refs; `force`: only when it is forced. */
  | { readonly git: string; readonly ref?: string; readonly force?: true }
  /** A ceiling: allow covers what stays within it, ask and deny what goes over it. */
  | { readonly spend: { readonly microUsd?: number; readonly tokens?: number } }
  /** Every request; its conditions say which. */
  | { readonly any: true };

export const FIELDS = ["tool", "path", "tier", "user", "tenant", "pattern", "env", "action", "arg"] as const;
export type Field = (typeof FIELDS)[number];

export const OPERATORS = ["eq", "ne", "contains", "matches", "in", "prefix", "suffix"] as const;
export type Operator = (typeof OPERATORS)[number];

/** `in` has any number of values, every other operator one. Some value of the field must do; for `ne` none may be equal. */
export interface Condition {
  readonly field: Field;
  readonly op: Operator;
  readonly values: readonly string[];
}

/** What a rule must and must not match: an argument list for `run`, a text for every other kind. */
export interface Examples {
  readonly match?: readonly Example[];
  readonly not?: readonly Example[];
}
export type Example = string | readonly string[];

export interface Rule {
  /** Stable name shown in events: where it came from and its place there, such as `blueprint.allow[2]`. */
  readonly id: string;
  readonly effect: Effect;
  readonly pattern: Pattern;
  /** Shown to a person when the rule decides. */
  readonly because?: string;
  /** Where it was written, as `file:line:column`. */
  readonly where?: string;
  /** All of them must hold. */
  readonly when?: readonly Condition[];
  /** None of them may hold. */
  readonly except?: readonly Condition[];
  /** Of a rule that asks: only about what another rule allows. What would be denied without it stays denied. */
  readonly tightens?: true;
  /**
   * Of a rule that asks: only about what no other rule mentions. It is read as a rule that allows is, and one that does allow wins
   * over it.
   */
  readonly yields?: true;
  /**
   * Of a rule that denies: where it matches only because an argument is not known, it asks about what another rule allows, or passes it
   * by.
   */
  readonly unknown?: "ask" | "pass";
  /** It never decides; a decision names it when it would have been another. */
  readonly shadow?: true;
  /** Checked when the rule is read; a plan does not keep them. */
  readonly examples?: Examples;
}

/** A decision always names its rule; `default` is the rule that denies what no other rule mentions. */
export interface Decision {
  readonly effect: Effect;
  readonly rule: string;
  readonly why: string;
  /** Where the rule was written. */
  readonly where?: string;
  /** Shadow rules that would have decided otherwise. */
  readonly shadow?: readonly string[];
}

/** The layer that a rule came from: the first word of its name. */
export function layerOf({ id }: Rule): string {
  return id.slice(0, id.indexOf("."));
}

/** The rule as a plan keeps it. */
export function frozen({ examples: _examples, ...rule }: Rule): Rule {
  return rule;
}
