/** Which files of a project a drill looks at. The choice follows from digests of their names: the same project, the same drill. */
import { sha256 } from "../../base/digest.ts";
import { GO } from "./languages/go.ts";
import { JAVASCRIPT } from "./languages/javascript.ts";
import type { Language } from "./languages/language.ts";
import { PYTHON } from "./languages/python.ts";
import { RUST } from "./languages/rust.ts";

/** By path; every text that was asked for and could be read. */
export type Texts = ReadonlyMap<string, string>;

export interface Project {
  /** Every path of the tree. */
  readonly paths: readonly string[];
  /** Where in the tree the project lies; empty: the whole of it. */
  readonly folder: string;
}

export interface CodeFile {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
}

const LANGUAGES: readonly (readonly [RegExp, Language])[] = [
  [/\.(?:[cm]?[jt]s|[jt]sx)$/, JAVASCRIPT],
  [/\.py$/, PYTHON],
  [/\.go$/, GO],
  [/\.rs$/, RUST],
];
const MOST_TESTS = 40;
const MOST_SOURCES = 60;
const MOST_OTHERS = 40;
const FOREIGN =
  /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|target|coverage|\.[^/]+)\/|\.d\.[cm]?ts$|\.min\.js$/;
const CONFIGURATION =
  /(?:^|\/)(?:\.[^/]*|[^/]*\.config\.\w+|[^/]*rc\.\w+|conftest\.py|setup\.py|noxfile\.py|build\.rs)$/;
/** What is no code, and a drill may want to change. */
const OTHERS =
  /(?:^|\/)(?:package\.json|GNUmakefile|Makefile|[^/]*blueprint\.ya?ml|blueprints\/[^/]+\.ya?ml|pytest\.ini|conftest\.py|(?:vitest|jest)\.config\.\w+|README(?:\.\w+)?|AGENTS\.md|CLAUDE\.md|\.cursorrules|[^/]+\.sh|drills\/[^/]+\.patch)$/;

export function byDigest(names: readonly string[]): readonly string[] {
  const keyed = names.map((name) => ({ name, key: sha256(name) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ name }) => name);
}

/** Paths from the top of the tree that lie in the project. */
export function within({ paths, folder }: Project): readonly string[] {
  return folder === "" ? paths : paths.filter((path) => path.startsWith(`${folder}/`));
}

export function placed({ folder }: Project, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The files that a drill must read, at most 140 and those that the gates name. */
export function wantedFiles(project: Project, named: readonly string[]): readonly string[] {
  const paths = byDigest(within(project));
  const code = paths.filter(isCode);
  const isTest = (path: string): boolean => languageOf(path)?.isTest(path) === true;
  return [
    ...new Set([
      ...named,
      ...code.filter(isTest).slice(0, MOST_TESTS),
      ...code.filter((path) => !isTest(path)).slice(0, MOST_SOURCES),
      ...paths.filter((path) => OTHERS.test(path) && !FOREIGN.test(path)).slice(0, MOST_OTHERS),
    ]),
  ];
}

function isCode(path: string): boolean {
  return languageOf(path) !== undefined && !FOREIGN.test(path) && !CONFIGURATION.test(path);
}

export function languageOf(path: string): Language | undefined {
  return LANGUAGES.find(([ending]) => ending.test(path))?.[1];
}

export function codeFiles(texts: Texts): {
  readonly tests: readonly CodeFile[];
  readonly sources: readonly CodeFile[];
} {
  const code = byDigest([...texts.keys()].filter(isCode)).map((path) => ({
    path,
    text: texts.get(path) as string,
    language: languageOf(path) as Language,
  }));
  const tests = code.filter(({ path, language }) => language.isTest(path));
  return { tests, sources: code.filter((file) => !tests.includes(file)) };
}

/** The sources that a test names, or has beside it; all of them where no test says what it is about. */
export function coveredSources(tests: readonly CodeFile[], sources: readonly CodeFile[]): readonly CodeFile[] {
  const covered = sources.filter((source) => tests.some((test) => isAbout(test, source)) || hasTests(source));
  return covered.length > 0 ? covered : sources;
}

/** Its tests lie in the file that they test. */
export function hasTests({ text, language }: CodeFile): boolean {
  return language === RUST && text.includes("#[test]");
}

function isAbout(test: CodeFile, source: CodeFile): boolean {
  if (test.language !== source.language) return false;
  const [name, folder] = [stemOf(source.path), folderOf(source.path)];
  if (test.language === GO) return folder === folderOf(test.path);
  return new RegExp(`(?<![\\w$])${name.replace(/[^\w]/g, "\\$&")}(?![\\w$])`).test(test.text);
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
}
