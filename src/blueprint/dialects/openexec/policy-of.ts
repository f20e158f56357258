/** `.openexec/policy.json` → the policy of a native blueprint. What it cannot say there is refused at its place. */
import type { JsonObject } from "../../../base/json.ts";
import type { Result } from "../../../base/result.ts";
import type { Condition, Rule } from "../../../policy/rule.ts";
import { parseText } from "../../parse-text.ts";
import { readOpenExec } from "../../policy/read-open-exec.ts";

const LONGEST_REASON = 500;

export function parseExecPolicy(text: string, file: string): Result<JsonObject> {
  return parseText(text, file, (tree, reading) => {
    const rules = readOpenExec(tree, "openexec", reading);
    const listed = (effect: Rule["effect"]): readonly JsonObject[] =>
      rules.filter((rule) => rule.effect === effect).map(nativeRule);
    return { allow: [...listed("allow")], ask: [...listed("ask")], deny: [...listed("deny")] };
  });
}

function nativeRule({ because, where, when = [], except = [] }: Rule): JsonObject {
  const reason = `${because ?? "a rule of OpenExec"} (${where})`.slice(0, LONGEST_REASON);
  return {
    any: true,
    because: reason,
    ...(when.length === 0 ? {} : { when: when.map(nativeCondition) }),
    ...(except.length === 0 ? {} : { except: except.map(nativeCondition) }),
  };
}

function nativeCondition({ field, op, values }: Condition): JsonObject {
  return { field, [op]: op === "in" ? [...values] : (values[0] as string) };
}
