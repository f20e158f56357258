/** Policies in files of their own: of the organisation, of the user, and of the repository, which may only tighten. */
import { ok, type Result } from "../../base/result.ts";
import type { Rule } from "../../policy/rule.ts";
import type { SetName } from "../../policy/shipped/sets.ts";
import { parseProjectText, parseText } from "../parse-text.ts";
import { object, scalar } from "../shapes/shape.ts";
import { keysOf } from "../text/tree.ts";
import { readOpenExec } from "./read-open-exec.ts";
import { readRules } from "./read-rules.ts";
import { REPOSITORY_FILE } from "./repository-file.ts";
import { POLICY_FIELDS } from "./rule-fields.ts";

export type Layer = "organisation" | "user";

export interface PolicyFile {
  readonly use: readonly SetName[];
  readonly rules: readonly Rule[];
}

const version = scalar({
  expected: "1",
  schema: { const: 1 },
  convert: (value) => (value === 1 ? (1 as const) : undefined),
});
const FILE = object(
  { version: { shape: version, about: "The version of this form: 1." }, ...POLICY_FIELDS },
  "the policy",
);

/** A file with `rules` is one of OpenExec. */
export function parsePolicy(text: string, file: string, layer: Layer): Result<PolicyFile> {
  return parseText(text, file, (tree, reading) => {
    const keys = keysOf(tree);
    if (keys.includes("rules") || keys.includes("default_decision")) {
      return { use: [], rules: readOpenExec(tree, layer, reading) };
    }
    const found = FILE.read(tree, reading, "the policy");
    if (found === undefined) return undefined;
    return { use: (found.use?.value ?? []).map(({ value }) => value), rules: readRules(found, layer, reading) };
  });
}

/** The rules of `pawl.yaml`, which may be empty. What would loosen the policy is refused. */
export function parseRepositoryPolicy(text: string, file: string): Result<readonly Rule[]> {
  const parsed = parseProjectText<readonly Rule[]>(text, file, (tree, reading) => {
    const policy = REPOSITORY_FILE.read(tree, reading, "pawl.yaml")?.policy?.value;
    for (const key of ["use", "allow"] as const) {
      const given = policy?.[key];
      if (given !== undefined) reading.problems.report("BLUEPRINT_POLICY_LOOSENS", { key }, given.key);
    }
    const rules = readRules(policy, "repository", reading);
    // A question about what nobody allows would turn a refusal into a question.
    return rules.map((rule) => (rule.effect === "ask" ? { ...rule, tightens: true } : rule));
  });
  const saysNothing = !parsed.ok && parsed.problems.every(({ code }) => code === "BLUEPRINT_TEXT_EMPTY");
  return saysNothing ? ok([]) : parsed;
}
