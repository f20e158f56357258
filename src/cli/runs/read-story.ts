/** The story of a run from its journal, with what it asks now. */
import type { RunId } from "../../base/ids.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { beginStory, type OpenQuestion, type RunStory, tell } from "../views/run-story.ts";
import { readEvents } from "./read-events.ts";

export async function readStory(runtime: Runtime, run: RunId): Promise<RunStory> {
  const story = beginStory(run);
  for await (const stored of readEvents(runtime, run, 0)) tell(story, stored);
  return completeStory(runtime, story);
}

/** Adds what other journals say to a story whose own events are told. */
export async function completeStory(runtime: Runtime, story: RunStory): Promise<RunStory> {
  story.open = await openQuestions(runtime, story);
  if (story.status === "waiting" && story.until === null && story.open.length === 0)
    story.outlook = await runtime.resumeOutlook({ run: story.run as RunId, events: story.events });
  await tellCost(runtime, story);
  await tellUnsaved(runtime, story);
  story.archives = await runtime.archives(story.run as RunId).catch(() => []);
  return story;
}

/** Of a state folder that cannot be read, nothing is known. */
export async function tellUnsaved(runtime: Runtime, story: RunStory): Promise<void> {
  story.unsaved = await runtime.unsaved(story.run as RunId).catch(() => []);
}

/** What was lost, or told nobody what it cost, counts as what it may have cost. A damaged journal tells what it can. */
export async function tellCost(runtime: Runtime, story: RunStory): Promise<void> {
  const outlay = await runtime.outlay(story.run as RunId).catch(() => null);
  if (outlay === null) return;
  story.usage = outlay.usage;
  story.merged = outlay.merged;
}

/** What a waiting run asks, with exactly what would happen; the questions of child runs it rests on are among them. */
export async function openQuestions(runtime: Runtime, story: RunStory): Promise<readonly OpenQuestion[]> {
  if (story.status !== "waiting") return [];
  const own = story.questions.map(
    ({ id, stage, why, answers, request }): OpenQuestion => ({ id, run: story.run, stage, why, answers, request }),
  );
  const children = new Set(
    story.attempts.flatMap(({ state, child }) => (state === "resting" && child !== undefined ? [child] : [])),
  );
  const below: OpenQuestion[] = [];
  for (const child of children) below.push(...(await readStory(runtime, child as RunId)).open);
  return [...own, ...below];
}
