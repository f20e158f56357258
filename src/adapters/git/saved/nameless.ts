/**
 * Saved commits that no name leads to. A name that is damaged or removed from outside leaves its commit behind, and what nothing refers to
 * is removed by the next sweep: so they get a name again first, `refs/pawl/<run>/found/<n>`. What was dropped on purpose (dropped.ts) does not.
 */

import type { Vault } from "../vault/vault.ts";
import { wasDropped } from "./dropped.ts";

const OURS = /^author Pawl <pawl@localhost> /m;
const RUN_OF = /^Pawl-Run: (r_[0-9a-z]{12})$/m;

/** Names them again, and returns how many there were. The caller has the vault alone. */
export async function nameAgain(vault: Vault): Promise<number> {
  let found = 0;
  for (const { commit, run } of await nameless(vault)) {
    if (await wasDropped(vault.dir, commit)) continue;
    await vault.point(commit, null, `refs/pawl/${run}/found`);
    found += 1;
  }
  return found;
}

async function nameless(vault: Vault): Promise<readonly { readonly commit: string; readonly run: string }[]> {
  const doing = "looking for saved work that has lost its name";
  const listing = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)"];
  const commits = linesOf(await vault.git(doing, listing)).flatMap((line) =>
    line.startsWith("commit ") ? [line.slice("commit ".length)] : [],
  );
  const named = new Set(linesOf(await vault.git(doing, ["rev-list", "--all"])));
  const others = commits.filter((id) => !named.has(id));
  const found: { commit: string; run: string }[] = [];
  for (const commit of others) {
    const text = (await vault.git(doing, ["cat-file", "commit", commit])).toString("latin1");
    const [, run] = OURS.test(text) ? (RUN_OF.exec(text) ?? []) : [];
    if (run !== undefined) found.push({ commit, run });
  }
  return found;
}

function linesOf(bytes: Buffer): readonly string[] {
  return bytes
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
}
