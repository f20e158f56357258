/**
 * The turn loop: bounds, what people say, the model, its calls, whoever watches. Each way out has a status of its own, and only
 * an answer without calls that fits what was asked for is complete.
 */
import { pawlError } from "../../base/errors.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import { performCalls } from "./calls.ts";
import { compactTalk } from "./compaction.ts";
import { heedCritic } from "./critic.ts";
import { failedEnding, haltEnding, loopEnding, stopOf } from "./endings.ts";
import { denialOf, tellStep } from "./hooks.ts";
import { createRepeats, type Repeats } from "./repeats.ts";
import type { Ending, Session, Setting } from "./session.ts";
import { finish } from "./structured.ts";
import { isLastWord, takeTurn } from "./turn.ts";

export async function runTalk(session: Session, setting: Setting): Promise<Ending> {
  // An earlier host has heard the last word and could not say so any more.
  if (isAnswered(session)) return finish(session, setting);
  const repeats = createRepeats();
  // Calls that an earlier host left without a result come first.
  for (let isOwed = session.chronicle.state.open.length > 0; ; isOwed = false) {
    const ended = isOwed ? null : await nextAnswer(session, setting);
    if (ended !== null) return ended;
    const stopped = (await performCalls(session, setting)) ?? (await lookBack(session, repeats));
    if (stopped !== null) return stopped;
  }
}

/** After a turn with calls: whoever watches is told, and may end it. */
async function lookBack(session: Session, repeats: Repeats): Promise<Ending | null> {
  const circle = repeats.see(await tellStep(session));
  return circle === null ? heedCritic(session, "turn") : loopEnding(session, circle);
}

/** null: it has calls to be made. */
async function nextAnswer(session: Session, setting: Setting): Promise<Ending | null> {
  const { chronicle, ports, run, halt } = session;
  const stopped = stopOf(session, setting);
  if (stopped !== null) return stopped;
  for (const text of await heard(session)) await chronicle.write({ type: "user.said", by: "steering", text });
  const denied = await denialOf(() => ports.hooks?.preStep?.({ run, turn: chronicle.state.turns + 1 }), halt.signal);
  if (halt.cause() !== null) return haltEnding(session);
  if (denied !== null) return failedEnding(session, pawlError(HARNESS_ERRORS, "HARNESS_HOOK_DENIED", { why: denied }));
  await compactTalk(session, setting);
  const ended = await takeTurn(session, setting);
  if (ended !== null) return ended;
  return isAnswered(session) || isLastWord(session, setting) ? finish(session, setting) : null;
}

/** Steering that fails has said nothing. */
async function heard({ chronicle, ports }: Session): Promise<readonly string[]> {
  try {
    return ports.steering?.take() ?? [];
  } catch (error) {
    await chronicle.note("steering_failed", error instanceof Error ? error.message : String(error));
    return [];
  }
}

function isAnswered({ chronicle }: Session): boolean {
  const { talk, open } = chronicle.state;
  return talk?.messages.at(-1)?.role === "assistant" && open.length === 0;
}
