/** The policy engine behind its port. Whatever goes wrong inside it is a deny. */
import { type CompiledPolicy, compilePolicy } from "../../policy/compile.ts";
import { decide } from "../../policy/decide.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { Decision, Rule } from "../../policy/rule.ts";
import type { PolicyGate } from "../../ports/policy-gate.ts";

export function createPolicyGate(): PolicyGate {
  const known = new WeakMap<readonly Rule[], CompiledPolicy>();

  /** Rules of a plan are frozen, so they are read once; others may have changed since. */
  const policyOf = (rules: readonly Rule[]): CompiledPolicy => {
    const policy = known.get(rules) ?? compilePolicy(rules);
    if (Object.isFrozen(rules)) known.set(rules, policy);
    return policy;
  };

  return {
    decide(rules, request) {
      try {
        return isSound(request) ? decide(policyOf(rules), request) : denied("the request is not what its kind needs");
      } catch {
        return denied("the rules could not be evaluated");
      }
    },
  };
}

/** Rules compare text and numbers; a pattern that covers everything would let pass what is neither. */
function isSound(request: PolicyRequest): boolean {
  const { who, tier } = request;
  return isText(tier ?? "") && isText(who?.user ?? "") && isText(who?.tenant ?? "") && isSoundKind(request);
}

function isSoundKind(request: PolicyRequest): boolean {
  switch (request.kind) {
    case "run":
      // A list that was given unknown arguments has null for them; the kernel never makes one.
      return isList(request.argv, isTextOrNull) && isList(request.env ?? [], isVariable);
    case "shell":
      return isText(request.script);
    case "action":
      return isText(request.action);
    case "read":
    case "edit":
      return isTextOrNull(request.path);
    case "fetch":
      return isText(request.host) && isAmount(request.port);
    case "tool":
      return isText(request.tool) && typeof request.args === "object" && request.args !== null;
    case "mcp":
      return isText(request.server) && isText(request.tool);
    case "git":
      return isText(request.operation) && isList(request.refs, isText) && typeof request.force === "boolean";
    case "spend":
      return isAmount(request.microUsd) && isAmount(request.tokens);
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

function isAmount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isVariable(value: unknown): boolean {
  return Array.isArray(value) && isText(value[0]) && isTextOrNull(value[1]);
}

/** `every` skips holes. */
function isList(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && Array.from(value as unknown[]).every(is);
}

function denied(why: string): Decision {
  return { effect: "deny", rule: "default", why };
}
