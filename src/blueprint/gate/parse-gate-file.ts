/** A gate.yaml of loop-engineering, with its holes closed: its globs count at any depth, both names of a rename are looked at. */
import type { Result } from "../../base/result.ts";
import type { ChangeRules } from "../blueprint.ts";
import { parseText } from "../parse-text.ts";
import { integer, list, object, scalar } from "../shapes/shape.ts";
import { pathPattern } from "../shapes/value-shapes.ts";

/** What such a file says of a change, and of one that is merged without a person. */
export interface GateFile {
  readonly deny: readonly string[];
  readonly maxFiles: number;
  readonly mergeAllow: readonly string[];
}

/** What counts where the file says nothing. */
const DENY: readonly string[] = [
  ".env",
  ".env.*",
  "**/secrets/**",
  "**/credentials/**",
  "**/*_key*",
  "**/*_secret*",
  ".terraform/**",
  "k8s/production/**",
  "**/migrations/**",
  "auth/**",
  "payments/**",
  "billing/**",
];
const MAX_FILES = 10;
const MERGE_ALLOW: readonly string[] = ["docs/**", "**/*.md"];

const globs = list(pathPattern(), { min: 0, max: 1000 });
const version = scalar({
  expected: "1",
  schema: { const: 1 },
  convert: (value) => (value === 1 ? (1 as const) : undefined),
});
const FILE = object(
  {
    version: { shape: version, about: "The version of this form: 1.", isRequired: true },
    denylist: { shape: globs, about: "Paths that must not change." },
    maxFiles: { shape: integer(1, 100_000), about: "Most files (10)." },
    autoMergeAllowlist: { shape: globs, about: "The only paths that may be merged without a person." },
  },
  "gate.yaml",
);

export function parseGateFile(text: string, file: string): Result<GateFile> {
  return parseText(text, file, (tree, reading) => {
    const found = FILE.read(tree, reading, "gate.yaml");
    if (found === undefined) return undefined;
    const paths = (given: typeof found.denylist, otherwise: readonly string[]): readonly string[] =>
      given === undefined ? otherwise : given.value.map(({ value }) => value);
    return {
      deny: paths(found.denylist, DENY),
      maxFiles: found.maxFiles?.value ?? MAX_FILES,
      mergeAllow: paths(found.autoMergeAllowlist, MERGE_ALLOW),
    };
  });
}

/** The rules of a gate and those of its file: whatever one of them forbids is forbidden. */
export function addGateFile(rules: ChangeRules, by: "change" | "merge", file: GateFile): ChangeRules {
  return {
    ...rules,
    deny: [...new Set([...rules.deny, ...file.deny])].sort(),
    allow: rules.allow ?? (by === "merge" ? [...file.mergeAllow].sort() : null),
    maxFiles: Math.min(rules.maxFiles ?? file.maxFiles, file.maxFiles),
  };
}
