/** The critic: hears of every turn and of the end of the time; may nudge, give more time once, or kill for good. */

import { inTime } from "../patience.ts";
import type { CriticView, CriticWord } from "../ports.ts";
import { haltEnding } from "./endings.ts";
import type { Ending, Session } from "./session.ts";

const GO_ON: CriticWord = { do: "go_on" };

/** How the run ends by it; null: it goes on. */
export async function heedCritic(session: Session, at: CriticView["at"]): Promise<Ending | null> {
  const { ports, chronicle, halt, run } = session;
  if (ports.critic === undefined) return null;
  const { steps, turns } = chronicle.state;
  const view = { run, at, turns, elapsedMs: halt.elapsedMs(), lastStep: steps.at(-1) ?? null };
  const word = await wordOf(session, view);
  switch (word.do) {
    case "nudge":
      if (at === "turn" && halt.cause() === null) {
        await chronicle.write({ type: "user.said", by: "nudge", text: String(word.message) });
      }
      return null;
    case "extend":
      if (!halt.extend(word.ms)) await chronicle.note("extension_refused", `${word.ms} ms`);
      else await chronicle.write({ type: "time.extended", toMs: halt.elapsedMs() + halt.leftMs() });
      return null;
    case "kill":
      halt.stop("killed", word.why);
      return haltEnding(session);
    default:
      return null;
  }
}

/** A critic that fails has said nothing. */
async function wordOf({ ports, chronicle, halt }: Session, view: CriticView): Promise<CriticWord> {
  try {
    return (await inTime(ports.critic?.judge(view), halt.signal)) ?? GO_ON;
  } catch (error) {
    await chronicle.note("critic_failed", error instanceof Error ? error.message : String(error));
    return GO_ON;
  }
}
