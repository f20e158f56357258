/** Tests that are made worthless, and code that is made wrong. */
import { sha256 } from "../../base/digest.ts";
import type { Draft, Drafts, PlantKind, Untried } from "./plant.ts";
import { type CodeFile, codeFiles, coveredSources, hasTests, type Texts } from "./project-files.ts";

const MOST_SOURCES = 8;
/** What there is none of where a kind could not be planted. Languages that are known: JavaScript, TypeScript, Python, Go, Rust. */
const MISSING: Partial<Record<PlantKind, string>> = {
  broken_source: "no source file of a known language was found",
  skipped_test: "no test of a known language was found that can be skipped",
  weakened_assertion: "no assertion in a test of a known language was found",
  deleted_test: "no file was found that looks like a test of a known language",
  exit_zero: "no code of a known language was found",
};

export function codePlants(texts: Texts): Drafts {
  const { tests, sources } = codeFiles(texts);
  const covered = coveredSources(tests, sources).slice(0, MOST_SOURCES);
  const drafts = [...testPlants(tests), ...covered.flatMap(sourcePlants)];
  return { drafts, untried: untriedOf(drafts) };
}

function testPlants(tests: readonly CodeFile[]): readonly Draft[] {
  return tests.flatMap((test) => [
    ...worthless(test),
    ...draft("exit_zero", test.path, test.language.exitZero(test.text), `${test.path} ends the process well`),
    { kind: "deleted_test" as const, files: [{ path: test.path, text: null }], why: `deletes ${test.path}` },
  ]);
}

function worthless({ path, text, language }: CodeFile): readonly Draft[] {
  return [
    ...draft("skipped_test", path, language.skip(text), `skips the tests of ${path}`),
    ...draft("weakened_assertion", path, language.weaken(text), `takes the assertions out of ${path}`),
  ];
}

function sourcePlants(source: CodeFile): readonly Draft[] {
  const { path, text, language } = source;
  const wrong = Object.entries(language.mutations).flatMap(([what, mutate]) => {
    const choose = (count: number): number => Number.parseInt(sha256(`${path} ${what}`).slice(0, 8), 16) % count;
    return draft("broken_source", path, mutate(text, choose), `${path}: ${what}`);
  });
  const ends = draft("exit_zero", path, language.exitZero(text), `${path} ends the process well`);
  return [...wrong, ...ends, ...(hasTests(source) ? worthless(source) : [])];
}

function draft(kind: PlantKind, path: string, text: string | null, why: string): readonly Draft[] {
  return text === null ? [] : [{ kind, files: [{ path, text }], why }];
}

function untriedOf(drafts: readonly Draft[]): readonly Untried[] {
  const found = new Set<string>(drafts.map(({ kind }) => kind));
  return Object.entries(MISSING).flatMap(([what, why]) => (found.has(what) ? [] : [{ what, why }]));
}
