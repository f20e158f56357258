/** The story of a run from its journal, with what it asks now. */
import type { RunId } from "../../base/ids.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { beginStory, type OpenQuestion, type RunStory, tell } from "../views/run-story.ts";
import { readEvents } from "./read-events.ts";

export async function readStory(runtime: Runtime, run: RunId): Promise<RunStory> {
  const story = beginStory(run);
  for await (const stored of readEvents(runtime, run, 0)) tell(story, stored);
  story.open = await openQuestions(runtime, story);
  await tellCost(runtime, story);
  return story;
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
