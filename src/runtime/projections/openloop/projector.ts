/** Keeps the files of an openloop workspace true: heartbeat.json, progress.md, logs/ and artifacts/. */
import { join, resolve } from "node:path";
import type { Plan } from "../../../plan/plan.ts";
import type { RunEvent, StoredEvent } from "../../../run/events.ts";
import { artifactFiles } from "../artifact-files.ts";
import { openFolderFiles } from "../folder-files.ts";
import type { BeginProjector, Projected } from "../projector.ts";
import { beginStory, heartbeatOf, isStep, type Story, tellStory, timeOf } from "./story.ts";

const HEARTBEAT = "heartbeat.json";
const PROGRESS = "progress.md";

export const beginOpenloop: BeginProjector = async (projected) => {
  const { run, plan, origin, root } = projected;
  const folder = resolve(root, origin.path);
  const files = await openFolderFiles(folder);
  const story = beginStory(run, plan);
  let told = lastTold(await files.read(PROGRESS), run);
  let round = 0;
  const show = (): Promise<void> => files.replace(HEARTBEAT, jsonText(heartbeatOf(story, null)));

  const apply = async ({ seq, event }: StoredEvent): Promise<void> => {
    const log = await keepLog(projected, files, story, event, seq);
    tellStory(story, event, log === null ? null : join(folder, log));
    const line = lineOf(story, event);
    if (line !== null && seq > told) {
      told = seq;
      await files.append(PROGRESS, `- ${timeOf(event.at)} ${line} <!-- ${run}:${seq} -->\n`);
    }
    if (event.type === "stage.finished" && isStep(event.stage)) {
      round = story.round;
      const { status, verify, baseline, steps } = story;
      const report = { run, round, status, verify, baseline, steps };
      await files.replace(`artifacts/${run}-round-${round}.json`, jsonText(report));
      for (const [name, ref] of artifactFiles(event.artifacts ?? {}, outputOf(plan, event.stage)))
        await files.replace(`artifacts/${run}-round-${round}-${event.stage}-${name}`, await projected.bytes(ref));
    }
    await show();
  };
  return {
    apply,
    async live(beats) {
      const { open } = story;
      const beat = beats.find(({ stage, attempt }) => stage === open?.stage && attempt === open.attempt);
      if (beat !== undefined && beat.state !== "ended")
        await files.replace(HEARTBEAT, jsonText(heartbeatOf(story, beat)));
    },
    end: show,
  };
};

/** The folder whose files a step keeps, with the slash at its end. */
function outputOf({ stages }: Plan, id: string): string {
  const stage = stages.find((one) => one.id === id);
  return stage !== undefined && "keep" in stage ? (stage.keep?.[0] ?? "").replace(/\*\*$/, "") : "";
}

/** One file for each command that was executed. */
async function keepLog(
  { bytes, run }: Projected,
  files: Awaited<ReturnType<typeof openFolderFiles>>,
  story: Story,
  event: RunEvent,
  seq: number,
): Promise<string | null> {
  if (event.type !== "stage.finished" || event.log === undefined) return null;
  const path = `logs/${run}-round-${story.round}-${event.stage}-${seq}.log`;
  await files.replace(path, await bytes(event.log));
  return path;
}

function lineOf({ round }: Story, event: RunEvent): string | null {
  switch (event.type) {
    case "run.started":
      return "the loop begins";
    case "round.started":
      return `round ${event.round} begins`;
    case "stage.finished":
      return isStep(event.stage)
        ? `round ${round} ${event.stage}: ${event.outcome}${event.error === undefined ? "" : ` (${inert(event.error)})`}`
        : null;
    case "run.resumed":
      return `the loop goes on after ${event.after}`;
    case "run.waiting":
      return `the loop waits: ${event.reason}`;
    case "run.paused":
      return "the loop is paused";
    case "run.finished":
      return `the loop is over: ${event.status}, ${event.reason}${event.detail === undefined ? "" : ` (${inert(event.detail)})`}`;
    default:
      return null;
  }
}

/** Text of a program must not look like one of our marks. */
function inert(text: string): string {
  return text.replaceAll("<!--", "<! --").replaceAll(/[\r\n]+/g, " ");
}

/** The newest event of the run that is told already; a line that was torn has no mark. */
function lastTold(progress: string, run: string): number {
  const marks = [...progress.matchAll(/ <!-- (\w+):(\d+) -->$/gm)].filter(([, whose]) => whose === run);
  return Math.max(0, ...marks.map(([, , seq]) => Number(seq)));
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
