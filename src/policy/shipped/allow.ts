/** How the shipped sets write a rule. */
import type { Condition, Pattern, Rule } from "../rule.ts";

export const ONLY_READS = "It only reads.";

export function arg(expression: string): Condition {
  return { field: "arg", op: "matches", values: [expression] };
}

/** An argument that leads out of the workspace. */
export const OUTSIDE: Condition = arg("^(-[^=]*=)?(/|~|(.*/)?\\.\\.(/|$))");

export function allow(name: string, because: string, pattern: Pattern, more: Partial<Rule>): Rule {
  return { id: `everyday.${name}`, effect: "allow", pattern, because, ...more };
}

/** A question gives way to whoever allows it: a set that is taken in must not take away. */
export function ask(name: string, because: string, pattern: Pattern, more: Partial<Rule>): Rule {
  return { id: `everyday.${name}`, effect: "ask", pattern, because, yields: true, ...more };
}

/** Command lines without quotes → argument lists, to keep examples readable. */
export function words(...lines: readonly string[]): readonly (readonly string[])[] {
  return lines.map((line) => line.split(" "));
}
