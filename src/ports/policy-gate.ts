/** PolicyGate: may this happen? Asked before every effect, with exactly what would happen. */
import type { PolicyRequest } from "../policy/request.ts";
import type { Decision, Rule } from "../policy/rule.ts";

export interface PolicyGate {
  /** `rules` are those frozen into the plan. Whatever goes wrong inside must end as a deny: this never throws. */
  decide(rules: readonly Rule[], request: PolicyRequest): Decision;
}
