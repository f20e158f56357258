/**
 * Harmless commands that other projects published: the test cases that two guards for coding agents mark as safe. They are fetched
 * for a test run and are no part of this repository.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { safeCasesOfPython, safeCasesOfToml } from "./public-cases.ts";

export interface PublicCorpus {
  readonly name: string;
  /** Every case counts, also one that is written down twice. */
  readonly commands: readonly string[];
}

interface Source {
  readonly name: string;
  readonly repository: string;
  /** The commit at which the figures in the documentation were measured. */
  readonly commit: string;
  /** Where the cases are. */
  readonly folder: string;
  readonly ending: string;
  readonly read: (text: string) => readonly string[];
  /** With fewer commands the format has changed, and the figure would say nothing. */
  readonly atLeast: number;
}

const SOURCES: readonly Source[] = [
  {
    name: "Dippy",
    repository: "https://github.com/ldayton/Dippy",
    commit: "2edad4a48d616a191c83417552ddc60eb79b526a",
    folder: "tests",
    ending: ".py",
    read: safeCasesOfPython,
    atLeast: 5000,
  },
  {
    name: "destructive_command_guard",
    repository: "https://github.com/Dicklesworthstone/destructive_command_guard",
    commit: "1a52415130fffec249e3c8adde72f58e3c4d6de0",
    folder: "tests/corpus",
    ending: ".toml",
    read: safeCasesOfToml,
    atLeast: 200,
  },
];

/** Names a folder that holds a checkout of each repository under the name of its corpus. */
export const CORPUS_VARIABLE = "PAWL_COMMAND_CORPUS";

/** Throws if a corpus cannot be fetched or has too few commands. Without `given` the repositories are fetched into `scratch`. */
export function publicCorpora(given: string | undefined, scratch: string): readonly PublicCorpus[] {
  return SOURCES.map((source) => {
    const root = given === undefined ? fetched(source, scratch) : join(given, source.name);
    const folder = join(root, source.folder);
    if (!existsSync(folder))
      throw new Error(`${folder} does not exist: it should hold the tests of ${source.repository}`);
    const commands = textsBelow(folder, source.ending).flatMap(source.read);
    if (commands.length >= source.atLeast) return { name: source.name, commands };
    throw new Error(`${folder} has ${commands.length} safe commands, and at least ${source.atLeast} are needed`);
  });
}

function textsBelow(folder: string, ending: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(ending));
  return files.sort().map((file) => readFileSync(join(folder, file), "utf8"));
}

/** Only the files of the cases are checked out, at exactly the named commit. */
function fetched({ name, repository, commit, folder }: Source, scratch: string): string {
  const root = join(scratch, name);
  mkdirSync(root, { recursive: true });
  const git = (...args: readonly string[]): void => {
    const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
    execFileSync("git", args, { cwd: root, env, stdio: ["ignore", "ignore", "pipe"], timeout: 120_000 });
  };
  git("init", "-q");
  git("fetch", "-q", "--depth=1", repository, commit);
  git("checkout", "-q", commit, "--", folder);
  return root;
}
