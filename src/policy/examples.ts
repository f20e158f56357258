/** Examples: what a rule must and must not match, written beside it and checked whenever it is read. */
import { compileRule } from "./compile.ts";
import { ABOUT_THE_ASKER } from "./conditions.ts";
import type { PolicyRequest } from "./request.ts";
import type { Example, Rule } from "./rule.ts";

export interface FailedExample {
  readonly list: "match" | "not";
  readonly index: number;
  readonly why: string;
}

/** The examples that do not hold. The rule itself must be sound. */
export function failedExamples(rule: Rule): readonly FailedExample[] {
  const { match = [], not = [] } = rule.examples ?? {};
  const when = rule.when?.filter(({ field }) => !ABOUT_THE_ASKER.includes(field));
  const { covers } = compileRule({ ...rule, ...(when === undefined ? {} : { when }) });
  const check = (list: "match" | "not", example: Example, index: number): FailedExample[] => {
    const request = requestOf(rule, example);
    if (typeof request === "string") return [{ list, index, why: request }];
    if (covers({ request, isVouched: false }) === (list === "match")) return [];
    return [{ list, index, why: list === "match" ? "the rule does not match it" : "the rule matches it" }];
  };
  return [
    ...match.flatMap((example, index) => check("match", example, index)),
    ...not.flatMap((example, index) => check("not", example, index)),
  ];
}

/** The request that an example stands for, or why it stands for none. */
function requestOf({ pattern }: Rule, example: Example): PolicyRequest | string {
  if ("run" in pattern) {
    return typeof example === "string"
      ? "an example of this rule is a list of arguments"
      : { kind: "run", argv: example };
  }
  if (typeof example !== "string") return "an example of this rule is a text";
  if ("shell" in pattern) return { kind: "shell", script: example };
  if ("action" in pattern) return { kind: "action", action: example };
  if ("read" in pattern) return { kind: "read", path: example };
  if ("edit" in pattern) return { kind: "edit", path: example };
  if ("tool" in pattern) return { kind: "tool", tool: example, args: {} };
  return wordsOf(pattern, example);
}

function wordsOf(pattern: Rule["pattern"], example: string): PolicyRequest | string {
  if ("fetch" in pattern) {
    const [, host, port] = /^(.*?)(?::(\d+))?$/s.exec(example) as unknown as [string, string, string | undefined];
    return { kind: "fetch", host, port: Number(port ?? 443) };
  }
  if ("mcp" in pattern) {
    const slash = example.indexOf("/");
    return slash < 0
      ? "an example of this rule is server/tool"
      : { kind: "mcp", server: example.slice(0, slash), tool: example.slice(slash + 1) };
  }
  if ("git" in pattern) {
    const [operation = "", ...words] = example.split(" ");
    return {
      kind: "git",
      operation,
      refs: words.filter((word) => word !== "--force"),
      force: words.includes("--force"),
    };
  }
  return "spend" in pattern ? amountOf(example) : "this rule can have no examples";
}

function amountOf(example: string): PolicyRequest | string {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) (usd|tokens)$/.exec(example) ?? [];
  if (amount === undefined) return "an example of this rule is an amount such as 1.5 usd or 1000 tokens";
  return unit === "usd"
    ? { kind: "spend", microUsd: Math.round(Number(amount) * 1e6), tokens: 0 }
    : { kind: "spend", microUsd: 0, tokens: Number(amount) };
}
