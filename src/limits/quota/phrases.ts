/** Phrases: how vendors say when it goes on, in sentences and in JSON that somebody printed. */
import { type Here, nextMidnight, readEpoch, readIso, readMoment } from "./moments.ts";
import { readSpan } from "./spans.ts";

/** Reads the time from the text that follows the lead. */
type Read = (rest: string, here: Here) => number | null;
interface Phrase {
  /** What stands before the time, up to it. */
  readonly lead: RegExp;
  readonly read: Read;
}

/** Quotes, escaped or not, and what else stands between the name of a field and its value. */
const IS = `[\\\\"']{0,4} ?[:=] ?[\\\\"']{0,4}`;

const span: Read = (rest, { at }) => {
  const ms = readSpan(rest);
  return ms === null ? null : at + ms;
};
const seconds: Read = (rest, { at }) => {
  const count = /^\d{1,9}(?:\.\d{1,9})?/.exec(rest)?.[0];
  return count === undefined ? null : at + Math.ceil(Number(count) * 1000);
};
const epoch: Read = (rest) => readEpoch(Number(/^\d{10,13}(?!\d)/.exec(rest)?.[0] ?? 0));
const phrase = (lead: string, read: Read): Phrase => ({ lead: new RegExp(lead, "gi"), read });

/** The most exact first; of phrases that are equally exact the latest time counts. */
const PHRASES: readonly (readonly Phrase[])[] = [
  [
    phrase("limit reached[^|]{0,40}\\|", epoch),
    phrase(`\\b(?:resets_?at|quotaResetTimeStamp|X-RateLimit-Reset)${IS}`, (rest, here) => {
      return epoch(rest, here) ?? readIso(rest, "UTC");
    }),
  ],
  [
    phrase(`\\b(?:resets_in_seconds|retry-after)${IS}`, seconds),
    phrase("\\bretry_delay ?\\{ ?seconds: ?", seconds),
    phrase(`\\b(?:quotaResetDelay|retryDelay)${IS}`, span),
    phrase("\\b(?:try again|retry|resets?|come back) (?:in|after) ", span),
    phrase("\\bwait (?:for )?", span),
  ],
  [phrase("\\b(?:resets?|try again)(?: (?:at|on|after))? (?=[a-z0-9])", readMoment)],
  [
    phrase("free-models-per-day", (_, { at }) => nextMidnight(at, "UTC")),
    // What Google allows for a day begins anew at midnight in California.
    phrase("per day per user|RequestsPerDay|TokensPerDay|hit your daily limit", (_, { at }) => {
      return nextMidnight(at, "America/Los_Angeles");
    }),
  ],
];

export interface PhraseTime {
  readonly until: number;
  /** What was read, with what stands before it. */
  readonly evidence: string;
}

const MOST_READ = 120;
/** What was over for longer when it was read is about something else. */
const JUST_OVER_MS = 15 * 60_000;

/** The time that the text names, if it is no later than `latest`; one that is just over is now. */
export function readPhrases(text: string, here: Here, latest: number): PhraseTime | null {
  for (const equals of PHRASES) {
    const times = equals.flatMap((each) => lastTime(text, each, here, latest) ?? []);
    const [first] = times.sort((a, b) => b.until - a.until);
    if (first !== undefined) return first;
  }
  return null;
}

/** What stands last was written last. */
function lastTime(text: string, { lead, read }: Phrase, here: Here, latest: number): PhraseTime | null {
  for (const match of [...text.matchAll(lead)].reverse()) {
    const begin = match.index + match[0].length;
    const until = read(text.slice(begin, begin + MOST_READ), here);
    if (until !== null && until >= here.at - JUST_OVER_MS && until <= latest)
      return { until: Math.max(until, here.at), evidence: text.slice(match.index, begin + MOST_READ / 2) };
  }
  return null;
}
