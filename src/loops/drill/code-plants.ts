/** Tests that are made worthless, and code that is made wrong. */
import { sha256 } from "../../base/digest.ts";
import type { Draft, Drafts, PlantKind, Untried } from "./plant.ts";
import { type CodeFile, codeFiles, coveredSources, type Texts } from "./project-files.ts";

const MOST_SOURCES = 8;

export function codePlants(texts: Texts): Drafts {
  const { tests, sources } = codeFiles(texts);
  const covered = coveredSources(tests, sources).slice(0, MOST_SOURCES);
  const drafts = [...testPlants(tests), ...covered.flatMap(sourcePlants)];
  return { drafts, untried: untriedOf(drafts, tests, sources) };
}

function testPlants(tests: readonly CodeFile[]): readonly Draft[] {
  return tests.flatMap(({ path, text, language }) => [
    ...draft("skipped_test", path, language.skip(text), `skips the tests of ${path}`),
    ...draft("weakened_assertion", path, language.weaken(text), `takes the assertions out of ${path}`),
    ...draft("exit_zero", path, language.exitZero(text), `${path} ends the process well`),
    { kind: "deleted_test" as const, files: [{ path, text: null }], why: `deletes ${path}` },
  ]);
}

function sourcePlants({ path, text, language }: CodeFile): readonly Draft[] {
  const wrong = Object.entries(language.mutations).flatMap(([what, mutate]) => {
    const choose = (count: number): number => Number.parseInt(sha256(`${path} ${what}`).slice(0, 8), 16) % count;
    return draft("broken_source", path, mutate(text, choose), `${path}: ${what}`);
  });
  return [...wrong, ...draft("exit_zero", path, language.exitZero(text), `${path} ends the process well`)];
}

function draft(kind: PlantKind, path: string, text: string | null, why: string): readonly Draft[] {
  return text === null ? [] : [{ kind, files: [{ path, text }], why }];
}

function untriedOf(
  drafts: readonly Draft[],
  tests: readonly CodeFile[],
  sources: readonly CodeFile[],
): readonly Untried[] {
  const has = (kind: PlantKind): boolean => drafts.some((each) => each.kind === kind);
  const noTests = "no file was found that looks like a test of JavaScript, TypeScript, Python, Go or Rust";
  const missing = (kind: PlantKind, none: string, some: string, isNone: boolean): readonly Untried[] =>
    has(kind) ? [] : [{ what: kind, why: isNone ? none : some }];
  return [
    ...missing("broken_source", "no source file of a language that is known was found", "", sources.length === 0),
    ...missing("skipped_test", noTests, "no test was found that can be skipped", tests.length === 0),
    ...missing("weakened_assertion", noTests, "no assertion was found", tests.length === 0),
    ...missing("deleted_test", noTests, "", tests.length === 0),
    ...missing("exit_zero", "no code was found", "", true),
  ];
}
