/** Workspaces of a large repository: making one beside `git worktree add`, saving it beside `git add -A && git write-tree`. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import type { Place, SaveLabel, Workspace, Workspaces } from "../../src/ports/workspaces.ts";
import type { FigureContext, FigureResult } from "../figure.ts";
import { withStateDir } from "../state-dir.ts";
import { median } from "../statistics.ts";
import { newRun, openSandbox, openWorkspaces } from "./parts.ts";
import { changeFiles, FILES, makeRepository, shell } from "./repository.ts";
import { ratio, type Samples, takeTurn, timed } from "./turns.ts";

const SPEC = { kind: "clone", from: "head", share: [] } as const;
const SAVES = 3;
const WRITE = "git add -A && git write-tree";
/** Git reads files anew that are as young as its index, in whole seconds; a stage seldom is. */
const AGE_MS = 2100;
/** What was measured before has ended for good, and a workspace was entered as long ago as a short stage takes. */
const REST_MS = 150;

const WAYS = {
  worktree: "git worktree add",
  enter: "a new clone workspace",
  write: WRITE,
  save: "save",
  saveCold: "save, when no cell waits for it",
  writeBeside: "git add -A && git write-tree, beside that",
  writeSame: "git add -A && git write-tree, nothing changed",
  saveSame: "save, nothing changed",
  base: "the vault, made with its first use",
  first: "the first clone workspace",
} as const;

interface Yard {
  readonly root: string;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
  readonly commit: string;
  readonly samples: Samples;
}

/** Nothing is removed before the end: some file systems are slow to reuse what was removed a moment ago. */
export function measureTrees(context: FigureContext): Promise<FigureResult> {
  return withStateDir(context.dir, "trees", async (dir) => {
    const rounds = context.quick ? 5 : 11;
    const root = join(dir, "project");
    context.log(`containment: making a repository of ${FILES} files`);
    await makeRepository(root);
    const sandbox = await openSandbox();
    const workspaces = openWorkspaces(root, sandbox, "lasting");
    const commit = await workspaces.base(SPEC, Date.now());
    const yard: Yard = { root, sandbox, workspaces, commit, samples: {} };
    for (let round = 0; round < rounds; round += 1) {
      context.log(`containment: workspaces of ${FILES} files, round ${round + 1}/${rounds}`);
      await measureFirst(yard, round);
      await measureRound(yard, join(dir, `worktree-${round}`), round);
    }
    return resultOf(yard.samples);
  });
}

/** A project that Pawl sees for the first time. */
async function measureFirst({ root, sandbox, samples }: Yard, round: number): Promise<void> {
  const name = `first-${round}`;
  const workspaces = openWorkspaces(root, sandbox, name);
  await settle();
  let commit = "";
  const base = async (): Promise<void> => {
    commit = await workspaces.base(SPEC, Date.now());
  };
  await takeTurn(samples, { [WAYS.base]: () => timed(base) }, round);
  await takeTurn(samples, { [WAYS.first]: () => timed(() => workspaces.enter(newPlace(), commit, labelOf(0))) }, round);
}

async function measureRound(yard: Yard, worktree: string, round: number): Promise<void> {
  const { root, workspaces, commit, samples } = yard;
  const place = newPlace();
  const enter = (tree: string): Promise<Workspace> => workspaces.enter(place, tree, labelOf(0));
  const settled = async (work: () => Promise<unknown>): Promise<number> => {
    await settle();
    return timed(work);
  };
  const make = {
    [WAYS.worktree]: () => settled(() => shell(root, `git worktree add -q --detach ${quoted(worktree)}`)),
    [WAYS.enter]: () => settled(() => enter(commit)),
  };
  await takeTurn(samples, make, round);
  await sleep(AGE_MS);
  let tree = commit;
  let step = round * (SAVES + 1);
  // As a run does it: each stage enters, and is saved.
  for (let save = 0; save < SAVES; save += 1) {
    step += 1;
    tree = await measureSave(yard, await enter(tree), worktree, step, [WAYS.write, WAYS.save]);
  }
  const workspace = await enter(tree);
  await measureSame(yard, workspace, worktree, round);
  await measureSave(yard, workspace, worktree, step + 1, [WAYS.writeBeside, WAYS.saveCold]);
}

/** Throws when the two have not stored the same tree: then they have not done the same work. Resolves to what was saved. */
async function measureSave(
  yard: Yard,
  workspace: Workspace,
  worktree: string,
  step: number,
  [write, save]: readonly [string, string],
): Promise<string> {
  for (const tree of [worktree, workspace.folder]) changeFiles(tree, step);
  let written = "";
  let saved = "";
  const ways = {
    [write]: () =>
      rested(async () => {
        written = await shell(worktree, WRITE);
      }),
    [save]: () =>
      rested(async () => {
        saved = await workspace.save(labelOf(step));
      }),
  };
  await takeTurn(yard.samples, ways, step);
  const vault = join(yard.root, ".pawl/lasting/vault.git");
  const tree = await shell(yard.root, `git --git-dir=${quoted(vault)} rev-parse ${saved}^{tree}`);
  if (tree !== written) throw new Error(`the workspace was saved as ${tree}, git wrote ${written}`);
  return saved;
}

async function measureSame({ samples }: Yard, workspace: Workspace, worktree: string, round: number): Promise<void> {
  const ways = {
    [WAYS.writeSame]: () => rested(() => shell(worktree, WRITE)),
    [WAYS.saveSame]: () => rested(() => workspace.save(labelOf(0))),
  };
  await takeTurn(samples, ways, round);
}

async function rested(work: () => Promise<unknown>): Promise<number> {
  await sleep(REST_MS);
  return timed(work);
}

function newPlace(): Place {
  return { run: newRun(), member: null, spec: SPEC };
}

function labelOf(attempt: number): SaveLabel {
  return { stage: "bench", attempt, at: Date.now() };
}

/** What others have written is on the disk: nobody pays for it. */
async function settle(): Promise<void> {
  await shell("/", "sync");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function resultOf(samples: Samples): FigureResult {
  const row = (name: string, reference: string): (string | number)[] => [
    name,
    median(samples[name] ?? []),
    reference === "" ? "-" : ratio(samples, name, reference),
  ];
  const made = ratio(samples, WAYS.enter, WAYS.worktree);
  const saved = ratio(samples, WAYS.save, WAYS.write);
  return {
    tables: [
      {
        title: `Workspaces of a repository of ${FILES.toLocaleString("en-US")} files (medians)`,
        columns: ["what", "ms", "over git"],
        rows: [
          row(WAYS.worktree, ""),
          row(WAYS.enter, WAYS.worktree),
          row(WAYS.base, ""),
          row(WAYS.first, WAYS.worktree),
          row(WAYS.write, ""),
          row(WAYS.save, WAYS.write),
          row(WAYS.writeBeside, ""),
          row(WAYS.saveCold, WAYS.writeBeside),
          row(WAYS.writeSame, ""),
          row(WAYS.saveSame, WAYS.writeSame),
        ],
      },
    ],
    bars: [
      { name: "clone workspace over git worktree add", measured: made, rule: "at_most", limit: 1.2, unit: "x" },
      { name: "snapshot over git add -A && git write-tree", measured: saved, rule: "at_most", limit: 1.3, unit: "x" },
    ],
    samples,
  };
}
