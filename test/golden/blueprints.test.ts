/** Blueprints as people and attackers write them, with the exact text or value each must give. UPDATE_GOLDEN=1 rewrites. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeFrame, type Diagnostic } from "../../src/base/diagnostic.ts";
import { BLUEPRINT_ERRORS } from "../../src/blueprint/errors.ts";
import { parseModels } from "../../src/blueprint/models/parse-models.ts";
import { parsePolicy, parseRepositoryPolicy } from "../../src/blueprint/policy/parse-policy.ts";
import { parseProject } from "../../src/blueprint/project/parse-project.ts";
import { parseBlueprint } from "../../src/blueprint/validate.ts";

const FOLDER = join(import.meta.dirname, "blueprints");
const FILLER = "# a line of filler that says nothing at all\n";
const UNPRINTABLE = /(?!\n)\p{Cc}|\p{Cs}|[\u202a-\u202e\ufeff]/gu;
const HEAD = "version: 1\nname: demo\n";

/** Texts that are too large or too strange to be kept as files. */
const GENERATED: Readonly<Record<string, string>> = {
  "generated-huge": HEAD + FILLER.repeat(6000),
  "generated-huge-in-bytes": `${HEAD}description: ${"€".repeat(100_000)}\n`,
  "generated-many-tokens": `${HEAD}x: [${"a,".repeat(100_000)}]\n`,
  "generated-many-errors": `[${",".repeat(240_000)}`,
  "generated-many-anchors": "&a ".repeat(80_000),
  "generated-many-documents": "---\n".repeat(60_000),
  "generated-unclosed-references": `${HEAD}stages: [{ id: a, command: '${"${".repeat(120_000)}' }]\n`,
  "generated-control-characters": `${HEAD}description: a\u0000b\u001b[31m\u202e\ud800\u0085\n`,
  "generated-many-control-characters": "\u0007".repeat(300),
  "generated-lone-carriage-return": "version: 1\rname: demo\r",
};

const cases = (kind: string): string[] =>
  readdirSync(join(FOLDER, kind))
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .sort();

const textOf = (kind: string, name: string): string =>
  GENERATED[name] ?? readFileSync(join(FOLDER, kind, `${name}.yaml`), "utf8");

const results = new Map<string, readonly Diagnostic[]>();

/** Loops, policies and models in files of their own are read by the same rules. */
function parse(
  name: string,
  text: string,
): ReturnType<
  typeof parseBlueprint | typeof parseRepositoryPolicy | typeof parsePolicy | typeof parseModels | typeof parseProject
> {
  if (name.startsWith("project-")) return parseProject(text, `${name}.yaml`);
  if (name.startsWith("models-")) return parseModels(text, `${name}.yaml`);
  if (name.startsWith("pawl-")) return parseRepositoryPolicy(text, `${name}.yaml`);
  return name.startsWith("policy-")
    ? parsePolicy(text, `${name}.yaml`, "organisation")
    : parseBlueprint(text, `${name}.yaml`);
}

function problemsOf(name: string): readonly Diagnostic[] {
  const known = results.get(name);
  if (known !== undefined) return known;
  const result = parse(name, textOf("bad", name));
  const problems = result.ok ? [] : result.problems;
  results.set(name, problems);
  return problems;
}

function render(text: string, { code, where, what, why, hint }: Diagnostic): string {
  const place = where === undefined ? "nowhere" : `${where.file}:${where.line}:${where.column}`;
  const frame = where === undefined ? "" : codeFrame(text, where).replaceAll(UNPRINTABLE, "·");
  return `${place} ${code}\n${what}\nwhy:  ${why}\nhint: ${hint}\n${frame}\n`;
}

/** All problems; of a flood only its ends, to keep the files readable. */
function renderAll(text: string, problems: readonly Diagnostic[]): string {
  const shown = problems.length > 60 ? [...problems.slice(0, 2), ...problems.slice(-2)] : problems;
  return `${problems.length} problems\n\n${shown.map((problem) => render(text, problem)).join("\n")}`;
}

/** The stored text, or what was just written when goldens are being updated. */
function golden(file: string, actual: string): string {
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, actual);
  return readFileSync(file, "utf8");
}

const BAD = [...cases("bad"), ...Object.keys(GENERATED)];

describe("bad blueprints", () => {
  it.each(BAD)("%s is refused with located problems", (name) => {
    const problems = problemsOf(name);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.filter(({ where, exit }) => where === undefined || exit !== 3)).toEqual([]);
    const text = textOf("bad", name);
    const shown = renderAll(text, problems);
    expect(shown).toBe(golden(join(FOLDER, "bad", `${name}.txt`), shown));
  });

  it("are at least sixty", () => {
    expect(BAD.length).toBeGreaterThanOrEqual(60);
  });

  it("show every problem a blueprint can have", () => {
    const seen = new Set(BAD.flatMap((name) => problemsOf(name).map(({ code }) => code)));
    expect([...seen].sort()).toEqual(Object.keys(BLUEPRINT_ERRORS).sort());
  });

  it("never change what an object is made from", () => {
    for (const name of BAD) problemsOf(name);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("good blueprints", () => {
  it.each(cases("good"))("%s is read exactly", (name) => {
    const result = parse(name, textOf("good", name));
    const shown = `${JSON.stringify(result.ok ? result.value : result.problems, null, 2)}\n`;
    expect(result.ok, shown).toBe(true);
    expect(shown).toBe(golden(join(FOLDER, "good", `${name}.json`), shown));
  });
});
