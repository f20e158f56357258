/** `--param name=value` → parameters. A value that is JSON keeps its type; any other is text. */

import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { PawlError } from "../../base/errors.ts";
import type { JsonValue } from "../../base/json.ts";
import { CLI_ERRORS } from "../errors.ts";

/** Throws with every wrong parameter at once. */
export function parseParams(texts: readonly string[]): Readonly<Record<string, JsonValue>> {
  const problems: Diagnostic[] = [];
  const params = new Map<string, JsonValue>();
  for (const text of texts) {
    const equals = text.indexOf("=");
    const name = text.slice(0, Math.max(0, equals));
    if (name === "") problems.push(diagnose(CLI_ERRORS, "CLI_PARAM_INVALID", { text }));
    else if (params.has(name)) problems.push(diagnose(CLI_ERRORS, "CLI_PARAM_REPEATED", { name }));
    else params.set(name, parseValue(text.slice(equals + 1)));
  }
  if (problems.length > 0) throw new PawlError(problems);
  return Object.fromEntries(params);
}

function parseValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
