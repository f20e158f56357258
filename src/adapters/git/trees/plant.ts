/** A tree that nobody made: files put over a base, as objects of the vault alone. */
import type { RunId } from "../../../base/ids.ts";
import type { Planting } from "../../../ports/workspaces.ts";
import { unfit } from "../failures.ts";
import type { GitCall, HostGit } from "../host-git.ts";
import { findFooting, recordFooting } from "../vault/footing.ts";
import type { Vault } from "../vault/vault.ts";
import { writeTree } from "./write-tree.ts";

const DOING = "planting files";
const PLAIN_FILE = "100644";
const NO_FILE = "000000";

export function plantTree(git: HostGit, vault: Vault, run: RunId, { base, files, at }: Planting): Promise<string> {
  return vault.uses.during(async () => {
    await vault.treeOf(base);
    for (const { path } of files) if (!isTreePath(path)) throw unfit(`no tree can hold ${JSON.stringify(path)}`);
    await recordFooting(vault, run, await findFooting(vault, run, base));
    const modes = await modesOf(vault, base);
    const edits = async (call: (args: readonly string[]) => GitCall): Promise<readonly string[]> => {
      const lines: string[] = [];
      for (const file of files)
        lines.push(await editOf(git, call, { ...file, mode: modes.get(file.path), idLength: base.length }));
      // What goes goes first: a name may have to be free for a folder.
      return lines.sort();
    };
    const message = `What a drill planted in ${base}\n\nPawl-Run: ${run}\n`;
    return writeTree(git, vault, { doing: DOING, from: base, edits }, (tree, pack) =>
      vault.keep({ tree, parents: [base], at, message }, pack, `refs/pawl/${run}/planted`),
    );
  });
}

function isTreePath(path: string): boolean {
  return path !== "" && !/[\0\ud800-\udfff]|(^|\/)(\.{0,2}|\.git)(\/|$)/iu.test(path);
}

async function editOf(
  git: HostGit,
  call: (args: readonly string[]) => GitCall,
  {
    path,
    text,
    mode,
    idLength,
  }: Planting["files"][number] & { readonly mode?: string | undefined; readonly idLength: number },
): Promise<string> {
  const name = Buffer.from(path).toString("latin1");
  if (text === null) return `${NO_FILE} ${"0".repeat(idLength)}\t${name}\0`;
  const id = await git.ask(DOING, { ...call(["hash-object", "-w", "--stdin"]), input: text });
  return `${mode ?? PLAIN_FILE} ${id.toString().trim()}\t${name}\0`;
}

/** Of every plain file. */
async function modesOf(vault: Vault, tree: string): Promise<ReadonlyMap<string, string>> {
  const listing = (await vault.git("listing a tree", ["ls-tree", "-r", "-z", "--full-tree", tree])).toString();
  const lines = [...listing.matchAll(/(100\d{3}) blob [0-9a-f]+\t([^\0]*)\0/g)];
  return new Map(lines.map(([, mode, path]) => [path as string, mode as string]));
}
