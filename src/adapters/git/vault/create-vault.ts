/** Makes the vault: a bare repository of ours that shares nothing with the user's. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf, storeFailure } from "../failures.ts";
import type { HostGit } from "../host-git.ts";
import { ownToken } from "../owner.ts";
import type { Project } from "../project/project.ts";
import { randomName, syncFolder, writeDurable } from "./durable.ts";

/** Between the name of the vault and who makes it, while it is being made. */
export const VAULT_UNDER_WAY = ".new-";

function configOf(format: string): string {
  const extensions = format === "sha1" ? [] : ["[extensions]", `\tobjectformat = ${format}`];
  return [
    "[core]",
    `\trepositoryformatversion = ${format === "sha1" ? 0 : 1}`,
    "\tbare = true",
    "\tlogallrefupdates = false",
    "\tfsync = all",
    "[gc]",
    "\tauto = 0",
    ...extensions,
    "",
  ].join("\n");
}

/** A vault that another process made first is left alone. */
export async function createVault(git: HostGit, dir: string, format: Project["format"]): Promise<void> {
  const made = `${dir}${VAULT_UNDER_WAY}${ownToken()}.${randomName()}`;
  try {
    await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
    const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, made];
    await git.ask("making the vault", { args });
    await writeFile(join(made, "config"), configOf(format));
    for (const folder of ["uses", "temp", "rules", "bases"])
      await mkdir(join(made, "pawl", folder), { recursive: true, mode: 0o700 });
    await mkdir(join(made, "objects/pack"), { recursive: true });
    await writeDurable(join(made, "pawl/made"), "1\n", 0o600);
    await syncFolder(made);
    await rename(made, dir);
    await syncFolder(dirname(dir));
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (errnoOf(error) === "ENOTEMPTY" || errnoOf(error) === "EEXIST") return;
    throw storeFailure(error, dir);
  }
}
