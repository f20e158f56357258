/**
 * Blueprints that come with Pawl, named `builtin:NAME`. Each is native text, written with the parameters it is given, so that its rules
 * name exactly the commands that will run; `pawl init --eject` writes the same text to a file.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { checkText } from "./check-blueprint.ts";
import { fixTestsText } from "./fix-tests-blueprint.ts";
import { PARAMS, type ShippedParams } from "./shipped-params.ts";

const SHIPPED = "builtin:";

interface ShippedBlueprint {
  readonly description: string;
  readonly params: readonly (keyof ShippedParams)[];
  text(name: string, params: ShippedParams): string;
}

export const SHIPPED_BLUEPRINTS: Readonly<Record<string, ShippedBlueprint>> = {
  check: {
    description: "Run the linter, when there is one, and the tests.",
    params: ["test", "lint", "share", "git"],
    text: checkText,
  },
  "fix-tests": {
    description: "Let an agent make failing tests pass, judge its work in a fresh checkout, and propose it.",
    params: ["test", "lint", "share", "git", "agent", "usd"],
    text: fixTestsText,
  },
};

interface ShippedOptions {
  readonly params: JsonObject;
  /** The loop whose blueprint it is (the blueprint's own name). */
  readonly loop?: string;
}

/** `path` begins with `builtin:`. */
export function shippedText(path: string, { params, loop }: ShippedOptions): Result<string> {
  const name = path.slice(SHIPPED.length);
  const found = Object.hasOwn(SHIPPED_BLUEPRINTS, name) ? SHIPPED_BLUEPRINTS[name] : undefined;
  const known = Object.keys(SHIPPED_BLUEPRINTS).join(", ");
  if (found === undefined) return failed([diagnose(RUNTIME_ERRORS, "BLUEPRINT_SHIPPED_UNKNOWN", { name, known })]);
  const problems: Diagnostic[] = [];
  const report = (param: string, problem: string): void => {
    problems.push(diagnose(RUNTIME_ERRORS, "BLUEPRINT_SHIPPED_PARAM", { name, param, problem }));
  };
  for (const param of Object.keys(params)) {
    if (!found.params.some((each) => each === param)) report(param, `it is none of ${found.params.join(", ")}`);
  }
  const given: Record<string, unknown> = {};
  for (const param of found.params) {
    const { read, expected, preset } = PARAMS[param];
    const value = Object.hasOwn(params, param) ? read(params[param] as JsonValue) : preset;
    if (value === undefined) report(param, `it must be ${expected}`);
    given[param] = value;
  }
  return problems.length > 0 ? failed(problems) : ok(found.text(loop ?? name, given as unknown as ShippedParams));
}
