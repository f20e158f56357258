/** What the mock backend answers, as scripts of the scripted agent. */

export interface MockAnswers {
  /** Of triage; default: act. */
  readonly decision?: "noop" | "report" | "act";
  /** Of the verifier; default: accept. */
  readonly verdict?: "accept" | "reject" | "escalate";
}

/** By the names of the files that a tick looks for. */
export function mockScripts({ decision = "act", verdict = "accept" }: MockAnswers): Readonly<Record<string, string>> {
  const triage = { outcome: decision, item: "spelling", title: "Spell the greeting well", why: "a word is misspelt" };
  return {
    "agents/triage.yaml": script(triage),
    "agents/review.yaml": script({ outcome: verdict, why: "small, and it repairs the word" }),
  };
}

function script(answer: Readonly<Record<string, string>>): string {
  return `version: 1\nattempts:\n  - - answer: ${JSON.stringify(answer)}\n`;
}
