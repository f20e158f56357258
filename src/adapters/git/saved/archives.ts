/** Archives of what no tree can hold, as the vault names them, and the label of what no stage has left. */
import type { RunId } from "../../../base/ids.ts";
import type { ArchivedFiles, SaveLabel } from "../../../ports/workspaces.ts";
import type { Vault } from "../vault/vault.ts";

/** Attempts of stages begin with 1. */
const NO_ATTEMPT = 0;
const LABEL = /^(.*), attempt (\d+)$/;

export function labelOfEnd(at: number): SaveLabel {
  return { stage: "end of the run", attempt: NO_ATTEMPT, at };
}

/** null: no stage has left it. */
export function stageOf({ stage, attempt }: Pick<SaveLabel, "stage" | "attempt">): string | null {
  return attempt === NO_ATTEMPT ? null : stage;
}

export async function listArchives(vault: Vault | undefined, run: RunId): Promise<readonly ArchivedFiles[]> {
  if (vault === undefined) return [];
  const format = "--format=%(objectname) %(authordate:unix) %(contents:subject)";
  const listing = await vault.git("listing archives", [
    "for-each-ref",
    "--sort=version:refname",
    format,
    `refs/pawl/${run}/kept`,
  ]);
  return listing
    .toString()
    .split("\n")
    .flatMap((line) => {
      const [, commit = "", seconds, subject = ""] = /^(\w+) (\d+) (.*)$/.exec(line) ?? [];
      const [, stage = "", attempt] = LABEL.exec(subject) ?? [];
      if (commit === "") return [];
      return [
        { commit, stage: stageOf({ stage, attempt: Number(attempt ?? NO_ATTEMPT) }), at: Number(seconds) * 1000 },
      ];
    });
}
