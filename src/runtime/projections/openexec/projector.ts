/** Keeps the folder of a run in `.openexec/runs/` true: timeline.jsonl, policy_snapshot.json, context_pack.json and artifacts/. */
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../../../base/json.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { RunEvent } from "../../../run/events.ts";
import { artifactFiles } from "../artifact-files.ts";
import { type FolderFiles, openFolderFiles } from "../folder-files.ts";
import type { BeginProjector, Projected } from "../projector.ts";
import { timelineLine } from "./timeline.ts";
import { openTimeline } from "./timeline-file.ts";

const TIMELINE = "timeline.jsonl";
const LIST_FILES = JSON.stringify(["git", "ls-files"]);

export const beginOpenexec: BeginProjector = async (projected) => {
  const { root, run, plan } = projected;
  const files = await openFolderFiles(await folderBelow(root, [".openexec", "runs", `run_${run.slice(2)}`]));
  const snapshot = { plan: plan.fingerprint, policy: plan.policy, default_decision: "deny", rules: [...plan.rules] };
  await files.replace("policy_snapshot.json", jsonText(snapshot));
  await files.replace("context_pack.json", jsonText(contextsOf(plan)));
  const timeline = await openTimeline(files, TIMELINE);
  return {
    async apply(stored) {
      const line = timelineLine(stored);
      // First: an artifact that cannot be had takes no line with it.
      if (line !== null) await timeline.tell(JSON.stringify(line));
      await keep(projected, files, stored.event);
    },
    end: () => timeline.end(),
  };
};

/** Each folder on the way is one, and no link that leads elsewhere. */
async function folderBelow(root: string, names: readonly string[]): Promise<string> {
  let folder = root;
  for (const name of names) {
    folder = join(folder, name);
    await mkdir(folder).catch(() => undefined);
    if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is no folder: nothing is written there`);
  }
  return folder;
}

/** What agents are told besides their task, as it was when the plan was made. */
function contextsOf(plan: Plan): JsonObject {
  const told = plan.stages.flatMap((stage) =>
    stage.kind === "agent" && stage.agent.context !== undefined
      ? [{ stage: stage.id, sha256: stage.agent.context.sha256 }]
      : [],
  );
  return { files: [], told };
}

async function keep({ plan, bytes }: Projected, files: FolderFiles, event: RunEvent): Promise<void> {
  if (event.type !== "stage.finished") return;
  const { stage, attempt, log, artifacts = {} } = event;
  if (log !== undefined && listsFiles(plan, stage)) {
    const text = Buffer.from(await bytes(log)).toString("utf8");
    const pack = { ...contextsOf(plan), files: text.split("\n").filter((line) => line !== ""), sha256: log.sha256 };
    await files.replace("context_pack.json", jsonText(pack));
  }
  for (const [name, ref] of artifactFiles(artifacts))
    await files.replace(`artifacts/${stage}-${attempt}-${name}`, await bytes(ref));
}

/** The stage that gathers what the project has. */
function listsFiles(plan: Plan, id: string): boolean {
  const stage = plan.stages.find((one) => one.id === id);
  return stage?.kind === "command" && JSON.stringify(stage.program).includes(LIST_FILES);
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
