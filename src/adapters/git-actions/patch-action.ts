/** `apply_patch`: a patch becomes a new tree in the vault. It is applied to an index, so no file is touched anywhere. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { pawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { visibleLine } from "../../base/visible.ts";
import { sealedPartOf } from "../../plan/paths/sealed-names.ts";
import type { ActionContext } from "../../ports/actions.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";
import { refPart } from "./commit-actions.ts";
import { optionalText, unfit } from "./input.ts";
import { type ChangedEntry, changedEntries } from "./repository/changes.ts";
import { commitInVault, vaultRef } from "./repository/make-commit.ts";
import { markedMessage } from "./repository/message.ts";
import { ask, askBytes, detailOf, type RunGit } from "./repository/run-git.ts";
import type { Scope, Spec } from "./scope.ts";

const MOST_PATCH = 32 << 20;
const LINK = "120000";
const SUBMODULE = "160000";

export function patchSpec(scope: Scope): Spec {
  const { git } = scope;
  return {
    name: "apply_patch",
    summary: "Applies a patch to what the workspace holds, whole or not at all.",
    effect: "idempotent",
    level: "L1",
    input: {
      patch: { required: false, summary: "The patch as a text, as `git diff` writes it." },
      artifact: { required: false, summary: "Name of the input of this stage that holds the patch." },
    },
    async perform(input, context, snapshot) {
      const { run, stage, key, signal } = context;
      const patch = await patchOf(scope, input, context);
      const tree = await withIndex(async (index) => {
        const vault: RunGit = (args, call) => git.vault(args, { ...call, signal, env: { GIT_INDEX_FILE: index } });
        await ask("reading the tree", vault(["read-tree", snapshot.tree]));
        const applied = await vault(["apply", "--cached", "--whitespace=nowarn", "-"], { input: patch });
        if (applied.code !== 0) throw unapplied(detailOf(applied.stderr));
        return ask("writing the tree", vault(["write-tree"]));
      });
      const entries = await changedEntries(git.vault, snapshot.tree, tree);
      const hooks = await scope.hooksFolders();
      for (const entry of entries) {
        checkNames(entry, hooks);
        await checkEntry(git.vault, entry);
      }
      const message = markedMessage("apply_patch", { run, stage, key }, "patch");
      const commit = { tree, parent: snapshot.id, message, at: snapshot.at };
      const id = await commitInVault(git, vaultRef(run, "patched", refPart(key)), commit);
      return { ok: true, output: { files: entries.length }, tree: id };
    },
  };
}

async function patchOf({ artifacts }: Scope, input: JsonObject, { inputs }: ActionContext): Promise<Uint8Array> {
  const written = input["patch"];
  const name = optionalText(input, "artifact", 500);
  if ((written === undefined) === (name === undefined))
    throw unfit("patch", "and `artifact` must not both be given or missing");
  if (name === undefined) {
    if (typeof written !== "string") throw unfit("patch", "is not a text");
    return limited(Buffer.from(written));
  }
  const ref = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  if (ref === undefined) throw unfit("artifact", "is not among the inputs of this stage");
  if (ref.bytes > MOST_PATCH) throw unapplied("it is too long");
  return limited(await artifacts.get(ref.sha256));
}

function limited(patch: Uint8Array): Uint8Array {
  if (patch.length > MOST_PATCH) throw unapplied("it is too long");
  return patch;
}

async function withIndex<T>(work: (index: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-index-"));
  try {
    return await work(join(folder, "index"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a command may not write behind its wall, a patch may not write either, nor take away. */
function checkNames({ path, oldPath }: ChangedEntry, folders: readonly string[]): void {
  for (const name of oldPath === null ? [path] : [path, oldPath]) {
    const sealed = sealedPartOf(name, folders);
    if (sealed === undefined) continue;
    const shown = { path: visibleLine(name, 200), sealed: visibleLine(sealed, 200) };
    throw pawlError(GIT_ERRORS, "GIT_PATCH_SEALED", shown);
  }
}

/** Git itself has refused paths outside the tree, in `.git` and behind links; these it would take. */
async function checkEntry(vault: RunGit, { path, newMode, newId }: ChangedEntry): Promise<void> {
  if (newMode === SUBMODULE) throw unapplied(`it changes the submodule ${visibleLine(path, 200)}`);
  if (newMode !== LINK) return;
  const target = (await askBytes("reading a link", vault(["cat-file", "blob", newId]))).toString("latin1");
  const reached = posix.normalize(posix.join(posix.dirname(path), target));
  const isInside = !posix.isAbsolute(target) && reached !== ".." && !reached.startsWith("../");
  if (!isInside || /(?:^|\/)\.git(?:\/|$)/i.test(reached))
    throw unapplied(`it makes ${visibleLine(path, 200)} a link that leads out of the project`);
}

function unapplied(problem: string): Error {
  return pawlError(GIT_ERRORS, "GIT_PATCH_UNFIT", { problem });
}
