/** A contained run of nine stages that is killed and resumed until it ends, and the judgement of what it left behind. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoredEvent } from "../../../src/run/events.ts";
import { isTerminal, type Status } from "../../../src/run/reasons.ts";
import { type CliResult, createProject, type Project } from "../cli.ts";
import { commitFiles, git, vaultOf } from "../git-project.ts";
import { slowness } from "../slowness.ts";

const MOST_LIVES = 30;
const GRACE_MS = 2000;
const BLUEPRINT = `version: 1
name: contained
policy: { allow: [{ run: ["sh", "step.sh", "*"] }, { action: git.commit }] }
defaults: { timeout: 1m, max_attempts: 30, backoff: 10ms }
stages:
  - { id: write, command: ["sh", "step.sh", "write"] }
  - { id: flaky, command: ["sh", "step.sh", "flaky"] }
  - { id: grow, command: ["sh", "step.sh", "grow"] }
  - id: pair
    group:
      parallel:
        - { id: left, command: ["sh", "step.sh", "pair"], outputs: { mine: mine } }
        - { id: right, command: ["sh", "step.sh", "pair"], outputs: { mine: mine } }
  - { id: more, command: ["sh", "step.sh", "more"] }
  - { id: check, gate: { command: ["sh", "step.sh", "check"] } }
  - { id: commit, level: L2, action: git.commit, with: { message: "What the run made" } }
  - { id: after, command: ["sh", "step.sh", "after"] }
  - { id: last, gate: { command: ["sh", "step.sh", "last"] } }
`;
const COMMITTED = {
  ".gitignore": "100644 *.cache\n",
  "blueprint.yaml": `100644 ${BLUEPRINT}`,
  "large.txt": `100644 ${"x".repeat(300_000)}`,
  link: "120000 deep/er/two.txt",
  "log.txt": "100644 write\nflaky\ngrow\nmore\n",
  "one.txt": "100644 one\n",
  "step.sh": "100644 …",
  tool: "100755 #!/bin/sh\n",
};
const FINAL = { ...COMMITTED, "log.txt": "100644 write\nflaky\ngrow\nmore\nafter\n" };

export interface ContainedReport {
  readonly kills: number;
  /** Everything that is not as it must be; empty: all is well. */
  readonly wrong: readonly string[];
}

/** Lives end by SIGKILL after these times, one after the other; the lives after them are left alone. */
export async function containedRun(killAfterMs: readonly number[]): Promise<ContainedReport> {
  const project = createProject({ "blueprint.yaml": BLUEPRINT, ".gitignore": "*.cache\n", "old.txt": "old\n" });
  copyFileSync(join(import.meta.dirname, "contained-step.sh"), join(project.root, "step.sh"));
  try {
    commitFiles(project.root, {});
    project.write("mine.cache", "of the user\n");
    const before = checkoutOf(project.root);
    const wrong: string[] = [];
    let kills = 0;
    let isWhole = false;
    for (let life = 0; life < MOST_LIVES && !isWhole; life += 1) {
      const args = await nextCommand(project);
      if (args === null) break;
      const ended = await live(project, args, killAfterMs[life]);
      const left = await processesLeft(project.root);
      if (left.length > 0) wrong.push(`processes left after life ${life}: ${left.join("; ")}`);
      isWhole = ended.signal === null;
      if (!isWhole) kills += 1;
      else if (ended.code !== 0) wrong.push(`ended with ${ended.code}: ${ended.stdout.slice(-600)} ${ended.stderr}`);
    }
    // A host that was killed after the end of its run leaves the clearing away to gc.
    if (isWhole) wrong.push(...leftovers(project.root));
    return { kills, wrong: [...wrong, ...(await judge(project, before))] };
  } finally {
    project.remove();
  }
}

/** null: the run has ended. */
async function nextCommand(project: Project): Promise<readonly string[] | null> {
  const known = existsSync(join(project.root, ".pawl/pawl.db")) ? await project.json("show", "@last") : { code: 3 };
  if (known.code !== 0 || !("value" in known)) return ["run", "blueprint.yaml", "--level", "L2"];
  const { status } = known.value as { readonly status: Status };
  return isTerminal(status) ? null : ["resume", "@last"];
}

function live(project: Project, args: readonly string[], killAfterMs: number | undefined): Promise<CliResult> {
  const { child, ended } = project.start(...args, "--jsonl");
  if (killAfterMs === undefined) return ended;
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  return ended.finally(() => clearTimeout(timer));
}

/** Of the project, after the system had the time to end what it was told to end. */
async function processesLeft(root: string): Promise<readonly string[]> {
  const until = performance.now() + GRACE_MS * slowness();
  for (;;) {
    const found = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? commandLine(name, root) : []));
    if (found.length === 0 || performance.now() > until) return found;
    await sleep(20);
  }
}

function commandLine(pid: string, root: string): readonly string[] {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
    return line.includes(root) ? [line.slice(0, 300)] : [];
  } catch {
    return [];
  }
}

/** All that a person has: files, index, references but ours, settings. */
function checkoutOf(root: string): string {
  const files = execFileSync(
    "find",
    [".", "-path", "./.pawl", "-prune", "-o", "-path", "./.git", "-prune", "-o", "-print"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  return [
    git(root, "--no-optional-locks", "status", "--porcelain", "--ignored", "--", ":!.pawl"),
    git(root, "for-each-ref", "--format=%(refname) %(objectname)")
      .replace(/^refs\/heads\/pawl\/.*\n?/gm, "")
      .trimEnd(),
    git(root, "worktree", "list", "--porcelain"),
    ...["HEAD", "config", "index"].map((name) => readFileSync(join(root, ".git", name), "base64")),
    ...files.split("\n").sort(),
  ].join("\n");
}

async function judge(project: Project, before: string): Promise<readonly string[]> {
  const { root } = project;
  const wrong: string[] = [];
  const check = (isSo: boolean, what: string): void => {
    if (!isSo) wrong.push(what);
  };
  const events = await eventsOf(project);
  const run = (await project.json("show", "@last")).value as { readonly run: string };
  const trees = events.flatMap(({ event }) => ("tree" in event && typeof event.tree === "string" ? [event.tree] : []));
  const wants = async (when: string): Promise<void> => {
    check(sameTree(vaultOf(root), trees.at(-1) ?? "", FINAL), `${when}, the last tree is another one`);
    check(sameTree(join(root, ".git"), `refs/heads/pawl/${run.run}`, COMMITTED), `${when}, the commit is another one`);
    for (const tree of trees) check(isWhole(vaultOf(root), tree), `${when}, the tree ${tree} is not whole`);
    for (const command of ["verify", "replay", "diff"])
      check((await project.pawl(command, "@last")).code === 0, `${when}, pawl ${command} fails`);
  };
  await wants("after the end");
  check(
    inRepository(join(root, ".git"), "rev-list", "--count", `HEAD..pawl/${run.run}`) === "1\n",
    "there is not exactly one commit",
  );
  check(git(root, "for-each-ref", "refs/heads/pawl").split("\n").length === 1, "there is another branch of ours");
  check(checkoutOf(root) === before, `the checkout has changed:\n${before}\n${checkoutOf(root)}`);
  check((await project.pawl("gc")).code === 0, "pawl gc fails");
  await wants("after gc");
  wrong.push(...leftovers(root));
  return wrong;
}

async function eventsOf(project: Project): Promise<readonly StoredEvent[]> {
  return ((await project.json("events", "@last")).value as { readonly events: readonly StoredEvent[] }).events;
}

function leftovers(root: string): readonly string[] {
  return ["workspaces", "tmp", "logs"].flatMap((name) => {
    const folder = join(root, ".pawl", name);
    const found = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
    return found.length === 0 ? [] : [`.pawl/${name} holds ${found.slice(0, 5).join(", ")}`];
  });
}

function sameTree(gitDir: string, tree: string, expected: Readonly<Record<string, string>>): boolean {
  const listed = inRepository(gitDir, "ls-tree", "-r", tree).trimEnd().split("\n");
  const found = listed.map((line) => /^(\d+) blob (\S+)\t(.*)$/.exec(line) ?? []);
  return (
    found.length === Object.keys(expected).length &&
    found.every(([, mode = "", id = "", path = ""]) => {
      const content = path === "step.sh" ? "…" : inRepository(gitDir, "cat-file", "blob", id);
      return expected[path] === `${mode} ${content}`;
    })
  );
}

function isWhole(gitDir: string, tree: string): boolean {
  return inRepository(gitDir, "rev-list", "--objects", "--missing=print", tree).match(/^\?/m) === null;
}

function inRepository(gitDir: string, ...args: string[]): string {
  try {
    return execFileSync("git", [`--git-dir=${gitDir}`, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    return `? ${(error as Error).message}`;
  }
}
