/** What a new run starts from: the commit that is checked out, or the files as they lie there. The user's repository stays as it is. */
import { copyFile, lstat, mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { WorkspaceSpec } from "../../../blueprint/blueprint.ts";
import { errnoOf, storeFailure } from "../failures.ts";
import type { HostGit } from "../host-git.ts";
import { throwIfAborted } from "../interrupt.ts";
import { limitsOf, tooLarge } from "../slot/save-limits.ts";
import { commitBytes, objectOf } from "../vault/commit.ts";
import { randomName } from "../vault/durable.ts";
import { quotedPath } from "../vault/pack-reachable.ts";
import { BASES, openOrCreateVault, SNAPSHOTS, type Vault } from "../vault/vault.ts";
import { callIn, inspectProject, type Project } from "./project.ts";
import { listUncommitted, userIgnoreFile } from "./uncommitted.ts";

export interface BaseRequest {
  readonly git: HostGit;
  readonly root: string;
  /** Where in the repository the project lies; empty: the whole of it is the project. */
  readonly project: string;
  readonly home: string;
  readonly vaultDir: string;
}

export async function takeBase(request: BaseRequest, spec: WorkspaceSpec, at: number): Promise<string> {
  const { git, root, home, vaultDir } = request;
  if (spec.from === "working_tree") await requireFit(request, spec);
  const project = await inspectProject(git, root, home);
  const vault = await openOrCreateVault(git, vaultDir, project.format);
  return vault.uses.during(async () => {
    await takeCommit(vault, project);
    if (spec.from === "head") return project.head;
    return takeWorkingTree(request, vault, project, at);
  });
}

/** What a snapshot would add to the commit is bounded like a save. */
async function requireFit({ git, root, project, home }: BaseRequest, spec: WorkspaceSpec): Promise<void> {
  const limits = limitsOf(spec);
  const paths = await listUncommitted(git, root, project, home, Number.POSITIVE_INFINITY);
  const sizes: { readonly path: string; readonly bytes: number }[] = [];
  for (const path of paths) {
    throwIfAborted(git.signal, "Measuring the working tree");
    const found = await lstat(join(root, path)).catch(() => null);
    if (found !== null && !found.isDirectory()) sizes.push({ path, bytes: found.size });
  }
  const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0);
  if (bytes <= limits.bytes && sizes.length <= limits.files) return;
  const largest =
    bytes > limits.bytes
      ? sizes.sort((a, b) => b.bytes - a.bytes).map((each) => `${each.bytes} ${each.path}`)
      : countFolders(sizes.map(({ path }) => path));
  throw tooLarge({ bytes, files: sizes.length }, limits, largest, root);
}

/** As the cell of a save counts them: each folder with all files below it. */
function countFolders(paths: readonly string[]): readonly string[] {
  const files = new Map<string, number>();
  for (const path of paths) {
    const parts = path.split("/").slice(0, -1);
    const folders = parts.length === 0 ? ["./"] : parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
    for (const folder of folders) files.set(folder, (files.get(folder) ?? 0) + 1);
  }
  return [...files].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([folder, count]) => `${count} ${folder}`);
}

async function takeCommit(vault: Vault, project: Project): Promise<void> {
  const { head, objects, shallow, root, flags } = project;
  await vault.bases.take(head, { objects, shallow, call: (args) => callIn(root, flags, args) });
  const name = `${BASES}/${head}`;
  if ((await vault.refs.read(name)) === null) await (await vault.refs.prepare(head)).put(name);
}

/**
 * Files that git keeps, and of the project also those that it does not keep yet, but not the ignored ones; through an index
 * and an object folder of our own.
 */
async function takeWorkingTree(request: BaseRequest, vault: Vault, project: Project, at: number): Promise<string> {
  const { git, home, project: below } = request;
  const folder = join(vault.dir, "pawl/temp", `snapshot-${randomName()}`);
  const env = {
    GIT_INDEX_FILE: join(folder, "index"),
    GIT_OBJECT_DIRECTORY: join(folder, "objects"),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(project.objects),
  };
  const doing = "reading the working tree";
  const call = (args: readonly string[]) => ({ ...callIn(project.root, project.flags, args), env });
  const ask = (args: readonly string[]): Promise<Buffer> => git.ask(doing, call(args));
  try {
    await mkdir(join(folder, "objects"), { recursive: true, mode: 0o700 });
    await copyIndex(project.index, env.GIT_INDEX_FILE).catch((error: unknown) => {
      if (errnoOf(error) !== "ENOENT") throw storeFailure(error, project.index);
    });
    const rules = join(folder, "ignore");
    await writeFile(
      rules,
      `${await readFile(await userIgnoreFile(git, home), "latin1").catch(() => "")}\n.pawl\n`,
      "latin1",
    );
    if (below !== "") await ask(["add", "--update", "--", "."]);
    const quiet = ["-c", `core.excludesFile=${rules}`, "-c", "advice.addEmbeddedRepo=false", "--literal-pathspecs"];
    await ask([...quiet, "add", "--all", "--", below === "" ? "." : below]);
    const tree = (await ask(["write-tree"])).toString().trim();
    if (tree === (await vault.treeOf(project.head))) return project.head;
    const text = commitBytes({ tree, parents: [project.head], at, message: "The working tree as it was" });
    const { id } = objectOf("commit", text, project.format);
    await git.ask(doing, { ...call(["hash-object", "-t", "commit", "-w", "--stdin"]), input: text });
    const pack = { ...call(["pack-objects", "-q", "--revs", "--stdout"]), input: `${id}\n^${project.head}\n` };
    await importCommit(vault, (sink) => git.pour(doing, pack, sink), id);
    return id;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With its time: by that git tells which files it must look into, because they changed in the second it was written. */
async function copyIndex(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from);
  await copyFile(from, to);
  await utimes(to, atime, mtime);
}

async function importCommit(vault: Vault, pour: (sink: Writable) => Promise<void>, id: string): Promise<void> {
  const incoming = vault.startImport(true);
  try {
    await pour(incoming.input);
    await (await incoming.finish()).accept();
    await (await vault.refs.prepare(id)).put(`${SNAPSHOTS}/${id}`);
  } finally {
    await incoming.abandon();
  }
}
