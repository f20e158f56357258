/**
 * Messages of commits. The last lines are ours: they name the certificate of what is in the commit, where there is one, and
 * say which run, stage and effect made it. That is how an effect that may have happened is found again.
 */
import { unfit } from "../input.ts";

export interface Mark {
  readonly run: string;
  readonly stage: string;
  readonly key: string;
}

const MARK = /\n\n(?:Pawl-Certificate: [^\n]*\n)?Pawl-Run: ([^\n]*)\nPawl-Stage: ([^\n]*)\nPawl-Key: ([^\n]*)\n*$/;
const FORGED = /^[^\S\n]*pawl-(?:run|stage|key|certificate)[^\S\n]*:/im;

/** Refuses a text that tries to speak for another run or effect. `trailer`: the line that names a certificate. */
export function markedMessage(
  written: string,
  { run, stage, key }: Mark,
  member: string,
  trailer: string | null = null,
): string {
  const message = written.replaceAll("\r\n", "\n").trim();
  if (FORGED.test(message) || message.includes("\r")) throw unfit(member, "holds a line that only Pawl may write");
  const proof = trailer === null ? "" : `${trailer}\n`;
  return `${message}\n\n${proof}Pawl-Run: ${run}\nPawl-Stage: ${stage}\nPawl-Key: ${key}\n`;
}

/** null: the commit was not made by an action. */
export function markOf(message: string): Mark | null {
  const [, run, stage, key] = MARK.exec(message) ?? [];
  return run === undefined || stage === undefined || key === undefined ? null : { run, stage, key };
}

/** The line that names the certificate of what is in the commit; null: there is none. */
export function certificateLine(message: string): string | null {
  return MARK.test(message) ? (/^Pawl-Certificate: [^\n]*$/m.exec(message)?.[0] ?? null) : null;
}

export function withoutMark(message: string): string {
  return message.replace(MARK, "");
}
