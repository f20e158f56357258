/**
 * Saved work, read from the objects of the vault: names that are damaged or gone hide nothing. Each commit is checked object by object on its
 * way into the user's repository, where it gets a branch of its own and nothing else changes.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isPawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { RestoredTree, SavedTree, SavedWork } from "../../ports/saved-work.ts";
import { branchTip, commitFacts } from "./repository/commits.ts";
import { giveToProject } from "./repository/make-commit.ts";
import { ask, createGit, type Git } from "./repository/run-git.ts";

export interface SavedWorkOptions {
  readonly root: string;
  readonly vault: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs work during which nothing is removed from the vault. */
  readonly holdVault: <T>(work: () => Promise<T>) => Promise<T>;
  readonly gitProgram?: string;
}

const RUN = /^r_[0-9a-z]{12}$/;
const RUN_OF = /^Pawl-Run: (r_[0-9a-z]{12})$/m;
const OURS = /^author Pawl <pawl@localhost> /m;
const LABEL = /^(.{1,200}), attempt (\d{1,9})$/;
const NO_COMMIT = "0".repeat(40);
/** Names of what runs began with. Mostly commits of the project, which has them itself. */
const STARTS = new Set(["base", "start", "origin", "bases", "snapshots"]);
const MOST_BYTES = 1 << 30;

export function createSavedWork(options: SavedWorkOptions): SavedWork {
  const { root, vault, env, holdVault, gitProgram: program = "git" } = options;
  const git = createGit({ program, root, vault, env });
  return {
    async list() {
      if ((await lstat(join(vault, "objects")).catch(() => null)) === null) return [];
      return holdVault(() => listSaved(git));
    },
    restore: (trees) =>
      holdVault(async () => {
        const restored: RestoredTree[] = [];
        for (const tree of trees) restored.push(await restoreTree(git, vault, tree));
        return restored;
      }),
  };
}

interface Named {
  readonly run: RunId | null;
  readonly kind: string;
  readonly number: string;
  readonly commit: string;
}

async function listSaved(git: Git): Promise<readonly SavedTree[]> {
  const named = await namedCommits(git);
  const known = new Set(named.map(({ commit }) => commit));
  const all: Named[] = [...named, ...(await namelessCommits(git, known))];
  const seen = new Set<string>();
  const found: SavedTree[] = [];
  for (const each of all) {
    const facts = await commitFacts(git.vault, each.commit).catch(() => undefined);
    // Two names of one commit are one piece of work.
    const key = `${each.run} ${each.commit}`;
    if (facts === undefined || seen.has(key)) continue;
    seen.add(key);
    const [, stage = null, attempt = null] = LABEL.exec(facts.message.split("\n")[0] ?? "") ?? [];
    const label = { stage, attempt: attempt === null ? null : Number(attempt) };
    const size = await sizeOf(git, each.commit);
    found.push({ ...each, ...label, at: facts.at * 1000, tree: facts.tree, size });
  }
  return found.sort((a, b) => order(a).localeCompare(order(b)));
}

function order({ run, at, kind, number }: SavedTree): string {
  return [run ?? "~", String(at).padStart(16, "0"), kind, number.padStart(9, "0")].join(" ");
}

/** Every name below refs/pawl that leads to something. What the project has anyway is left out. */
async function namedCommits(git: Git): Promise<readonly Named[]> {
  const listed = await git.vault(["for-each-ref", "--format=%(objectname) %(refname)", "refs/pawl"]);
  const found: Named[] = [];
  for (const line of linesOf(listed.stdout)) {
    const [commit = "", name = ""] = line.split(" ");
    const [, , first = "", kind = "", ...rest] = name.split("/");
    const run = RUN.test(first) ? (first as RunId) : null;
    const isStart = STARTS.has(run === null ? first : kind);
    if (isStart && (await isInProject(git, commit))) continue;
    const number = isStart ? commit.slice(0, 12) : rest.join("-");
    found.push({ run, kind: isStart ? "start" : kind, number, commit });
  }
  // A run is named with what it began with; the shared name of that comes last.
  const ofRuns = new Set(found.flatMap(({ run, commit }) => (run === null ? [] : [commit])));
  return found.filter(({ run, commit }) => run !== null || !ofRuns.has(commit));
}

/** Commits of ours that lie in the vault without a name. */
async function namelessCommits(git: Git, named: ReadonlySet<string>): Promise<readonly Named[]> {
  const args = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)"];
  const { stdout } = await git.vault(args, { maxBytes: MOST_BYTES });
  const found: Named[] = [];
  for (const line of linesOf(stdout)) {
    const commit = line.startsWith("commit ") ? line.slice("commit ".length) : "";
    if (commit === "" || named.has(commit)) continue;
    const text = (await git.vault(["cat-file", "commit", commit])).stdout.toString("latin1");
    const [, run] = OURS.test(text) ? (RUN_OF.exec(text) ?? []) : [];
    if (run !== undefined) found.push({ run: run as RunId, kind: "found", number: commit.slice(0, 12), commit });
  }
  return found;
}

async function isInProject(git: Git, commit: string): Promise<boolean> {
  return (await git.project(["cat-file", "-e", `${commit}^{commit}`])).code === 0;
}

async function sizeOf(git: Git, commit: string): Promise<SavedTree["size"]> {
  const { code, stdout } = await git.vault(["ls-tree", "-r", "-l", "-z", commit], { maxBytes: MOST_BYTES });
  if (code !== 0) return null;
  const sizes = stdout
    .toString("latin1")
    .split("\0")
    .flatMap((entry) => (entry === "" ? [] : [/^\d+ \w+ [0-9a-f]+ +(\d+|-|BAD)\t/.exec(entry)?.[1] ?? "BAD"]));
  if (sizes.includes("BAD")) return null;
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + (size === "-" ? 0 : Number(size)), 0) };
}

async function restoreTree(git: Git, vault: string, tree: SavedTree): Promise<RestoredTree> {
  const name = branchOf(tree);
  try {
    for (const branch of [name, `${name}-${tree.commit.slice(0, 12)}`]) {
      const tip = await branchTip(git.project, branch);
      if (tip === tree.commit) return { ...tree, branch, wasThere: true, problem: null };
      // Somebody has put something else there: it is theirs.
      if (tip !== undefined) continue;
      await giveToProject(git, vault, tree.commit);
      const args = ["update-ref", `refs/heads/${branch}`, tree.commit, zeroOf(tree.commit)];
      await ask("making a branch", git.project(args));
      return { ...tree, branch, wasThere: false, problem: null };
    }
    return { ...tree, branch: null, wasThere: false, problem: `other branches have its names (${name})` };
  } catch (error) {
    if (!isPawlError(error)) throw error;
    return { ...tree, branch: null, wasThere: false, problem: error.message };
  }
}

/** The same for the same name in the vault, so doing it twice is doing it once. */
function branchOf({ run, stage, kind, number }: SavedTree): string {
  const label = [stage, kind, number].flatMap((part) => (part === null ? [] : [plain(part)])).join("-");
  return `pawl/recovered/${run ?? "starts"}/${label}`;
}

/** Letters, digits, dashes: git allows more, and shells do not. */
function plain(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, 80);
}

function zeroOf(commit: string): string {
  return commit.length === NO_COMMIT.length ? NO_COMMIT : "0".repeat(commit.length);
}

function linesOf(bytes: Buffer): readonly string[] {
  return bytes
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
}
