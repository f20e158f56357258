/** Conditions: what a rule says besides its pattern. A regular expression runs in linear time, whoever wrote it. */

import { canonical } from "../base/json.ts";
import { normalisePath } from "../base/match/glob.ts";
import { type Pattern, readPattern } from "../base/match/pattern.ts";
import { type Asked, argumentsOf, hasOneSpelling, hasUnknown, type Mode, resolvedArguments } from "./asked.ts";
import type { PolicyRequest } from "./request.ts";
import type { Condition, Field } from "./rule.ts";

/** An example, or a request that is tried out, says what is asked for, not who asks. */
export const ABOUT_THE_ASKER: readonly Field[] = ["user", "tenant", "tier"];

/** Why a condition cannot be used, or undefined. */
export function conditionProblem({ op, values }: Condition): string | undefined {
  if (op !== "in" && values.length !== 1) return `${op} needs exactly one value`;
  if (op !== "matches") return undefined;
  const read = readPattern(values[0] as string);
  return read.ok ? undefined : `the expression cannot be used: ${read.problem}`;
}

export function compileCondition(condition: Condition, mode: Mode): (asked: Asked) => boolean {
  const problem = conditionProblem(condition);
  if (problem !== undefined) throw new RangeError(problem);
  const { field, op } = condition;
  const holds = compileOperator(condition);
  if (op === "ne") {
    // Where none may be equal, more to look at holds less often: the strict reading is the other one.
    const read = field !== "action" && field !== "arg" ? mode : mode === "must" ? "may" : "must";
    return (asked) =>
      !(mode === "must" && isUnknown(asked.request, field)) && valuesOf(asked, field, read).every(holds);
  }
  return (asked) =>
    (mode === "may" && !asked.isVouched && isUnknown(asked.request, field)) || valuesOf(asked, field, mode).some(holds);
}

function compileOperator({ op, values }: Condition): (found: string) => boolean {
  const [value] = values as [string];
  switch (op) {
    case "eq":
      return (found) => found === value;
    case "ne":
      return (found) => found !== value;
    case "contains":
      return (found) => found.includes(value);
    case "prefix":
      return (found) => found.startsWith(value);
    case "suffix":
      return (found) => found.endsWith(value);
    case "in":
      return (found) => values.includes(found);
    case "matches": {
      // A condition that cannot be read was refused before.
      const { pattern } = readPattern(value) as { readonly pattern: Pattern };
      return pattern.test;
    }
  }
}

function isUnknown(request: PolicyRequest, field: Field): boolean {
  if (field === "env") return request.kind === "run" && (request.env ?? []).some(([, value]) => value === null);
  return (field === "arg" || field === "pattern" || field === "path") && hasUnknown(request);
}

function valuesOf(asked: Asked, field: Field, mode: Mode): readonly string[] {
  const { request } = asked;
  switch (field) {
    case "tool":
      return toolsOf(request);
    case "path":
      return pathsOf(request, mode);
    case "arg":
      return argumentsAs(asked, mode);
    case "pattern":
      return [textOf(request)];
    case "env":
      return request.kind === "run" ? (request.env ?? []).map(([name, value]) => `${name}=${value ?? ""}`) : [];
    case "action":
      return [actionOf(request), ...(mode === "may" ? commandsOf(request) : [])];
    case "tier":
      return present(request.tier);
    case "user":
    case "tenant":
      return present(request.who?.[field]);
  }
}

/** What several rules ask for is worked out once. */
function argumentsAs(asked: Asked, mode: Mode): readonly string[] {
  if (mode === "must" || hasOneSpelling(asked)) {
    asked.written ??= argumentsOf(asked.request);
    return asked.written;
  }
  asked.resolved ??= [...argumentsOf(asked.request), ...resolvedArguments(asked.request)];
  return asked.resolved;
}

function present(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

/** The name of the tool that an agent would use for it, too: other systems write their rules about those. */
function toolsOf(request: PolicyRequest): readonly string[] {
  switch (request.kind) {
    case "run":
    case "shell":
      return [request.kind, "run_shell_command"];
    case "read":
      return ["read", "read_file"];
    case "edit":
      return ["edit", "write_file"];
    case "fetch":
      return ["fetch", "web_fetch"];
    case "tool":
      return [request.tool];
    case "mcp":
      return ["mcp", `${request.server}/${request.tool}`];
    case "git":
      return ["git", `git_${request.operation}`];
    case "action":
    case "spend":
      return [request.kind];
  }
}

/** Arguments may be paths: enough to ask or deny, not enough to allow. */
function pathsOf(request: PolicyRequest, mode: Mode): readonly string[] {
  if (request.kind === "read" || request.kind === "edit") {
    return request.path === null ? [] : [normalisePath(request.path)];
  }
  return mode === "may" ? [...argumentsOf(request).map(normalisePath), ...resolvedArguments(request)] : [];
}

function actionOf(request: PolicyRequest): string {
  if (request.kind === "action") return request.action;
  return request.kind === "git" ? request.operation : request.kind;
}

/** What a command does is told by its text, too: other systems write rules about their actions so. Enough to ask or deny. */
function commandsOf(request: PolicyRequest): readonly string[] {
  return request.kind === "run" || request.kind === "shell" ? [textOf(request)] : [];
}

/** The whole request as one text. */
function textOf(request: PolicyRequest): string {
  switch (request.kind) {
    case "run":
      return request.argv.filter((argument) => argument !== null).join(" ");
    case "shell":
      return request.script;
    case "action":
      return request.action;
    case "read":
    case "edit":
      return request.path ?? "";
    case "fetch":
      return `${request.host}:${request.port}`;
    case "tool":
      return `${request.tool} ${canonical(request.args)}`;
    case "mcp":
      return `${request.server}/${request.tool}`;
    case "git":
      return [request.operation, ...request.refs].join(" ");
    case "spend":
      return `${request.microUsd} ${request.tokens}`;
  }
}
