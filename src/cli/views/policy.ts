/** What the rules say, for people. Whatever a rule or a request holds is shown escaped. */
import { canonical, type JsonValue } from "../../base/json.ts";
import { visibleLine } from "../../base/visible.ts";
import type { Explanation } from "../../policy/decide.ts";
import { describeRequest } from "../../policy/describe.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { Effect, Rule } from "../../policy/rule.ts";
import type { Paint } from "../output.ts";

const LONGEST = 300;
const COLOURS = { allow: "green", ask: "yellow", deny: "red" } as const;

export function explanationLines(request: PolicyRequest, { decision, matches }: Explanation, paint: Paint): string[] {
  const { effect, rule, why, where, shadow } = decision;
  const others = matches.filter((match) => match.rule !== rule);
  return [
    `${painted(effect, paint)}  ${describeRequest(request)}`,
    `  rule   ${rule}`,
    `  why    ${visibleLine(why, LONGEST)}`,
    ...(where === undefined ? [] : [`  where  ${visibleLine(where, LONGEST)}`]),
    ...(shadow === undefined ? [] : [`  in shadow, and otherwise: ${shadow.join(", ")}`]),
    ...(others.length === 0 ? [] : ["  also matched:"]),
    ...others.map(
      (match) =>
        `    ${match.effect.padEnd(5)} ${match.rule}${match.shadow ? " (shadow)" : ""}  ${paint.dim(match.about)}`,
    ),
  ];
}

export function ruleLines(rules: readonly Rule[], paint: Paint): string[] {
  return rules.map((rule) => {
    const about = visibleLine(canonical(rule.pattern as unknown as JsonValue), LONGEST);
    const { when, except, unknown, shadow } = rule;
    const more = [when && "when", except && "except", unknown && "unknown: ask", shadow && "shadow"].filter(Boolean);
    return `${painted(rule.effect, paint)} ${rule.id}  ${paint.dim(about)}${more.length === 0 ? "" : `  (${more.join(", ")})`}`;
  });
}

function painted(effect: Effect, paint: Paint): string {
  return paint[COLOURS[effect]](effect.padEnd(5));
}
