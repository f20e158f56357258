import { describe, expect, it, test } from "vitest";
import { appendRunLog, parseRunLog, type RunLogEntry } from "./run-log.ts";

const NOW = Date.UTC(2026, 8, 15, 9);
const HEAD = `# Loop Run Log

\`\`\`json
{
"run_id": "2026-06-09T08:15:00Z" }
{"run_id":"2026-06-09T08:15:00Z","pattern":"example"}
\`\`\`

## Recent Runs

<!-- Loop appends below this line -->

`;
const line = (id: string, more = ""): string =>
  `{"run_id":"${id}","pattern":"daily-triage","duration_s":9,"items_found":1,"actions_taken":1,"escalations":0,"tokens_estimate":52000${more},"outcome":"report-only"}\n`;
const entry: RunLogEntry = {
  ...{ runId: "2026-09-15T08:00:39Z", pattern: "daily-triage", durationS: 10, itemsFound: 9, actionsTaken: 1 },
  ...{ escalations: 2, tokensEstimate: 5000, outcome: "escalated", extra: { note: "two", outcome: "forged" } },
};
const WRITTEN =
  '{"run_id":"2026-09-15T08:00:39Z","pattern":"daily-triage","duration_s":10,"items_found":9,"actions_taken":1,"escalations":2,"tokens_estimate":5000,"outcome":"escalated","note":"two"}\n';

describe("a run log", () => {
  it("is read line by line; the example is none, and what cannot be read is passed over", () => {
    const text = `${HEAD}${line("2026-09-14T08:00:00Z", ',"readiness_score":100')}{"run_id":"torn\n{}\n[]\n{"run_id":"nightly","pattern":"pr-housekeeping"}\n`;
    expect(parseRunLog(text)).toEqual({
      entries: [
        {
          ...{ runId: "2026-09-14T08:00:00Z", pattern: "daily-triage", durationS: 9, itemsFound: 1, actionsTaken: 1 },
          ...{
            escalations: 0,
            tokensEstimate: 52_000,
            outcome: "report-only",
            extra: { readiness_score: 100 },
            line: 13,
          },
        },
        {
          ...{ runId: "nightly", pattern: "pr-housekeeping", durationS: 0, itemsFound: 0, actionsTaken: 0 },
          ...{ escalations: 0, tokensEstimate: 0, outcome: "", extra: {}, line: 17 },
        },
      ],
      unreadable: [14, 15],
    });
  });

  test("J11: an entry is one line below the marker; entries of more than 30 days go, and every other line stays", () => {
    const rest = `{"run_id":"nightly","pattern":"x"}\n{"torn\nsome words\n${line("2026-08-16T09:00:00Z")}`;
    const tail = "\n## Notes\nby ada\n";
    const before = `${HEAD}${line("2026-08-16T08:59:59Z")}${rest}${line("2020-01-01")}${tail}`;
    expect(appendRunLog(before, entry, NOW)).toBe(`${HEAD}${rest}${WRITTEN}${tail}`);
  });

  it("has an entry once, however often it is appended", () => {
    const once = appendRunLog(HEAD, entry, NOW);
    expect(appendRunLog(once, entry, NOW)).toBe(once);
    expect(parseRunLog(once).entries).toHaveLength(1);
  });

  it("gets its marker where it has none, and begins with one where there was no file", () => {
    expect(appendRunLog(HEAD.trimEnd(), entry, NOW)).toBe(`${HEAD.trimEnd()}\n${WRITTEN}`);
    expect(appendRunLog("# Log", entry, NOW)).toBe(
      `# Log\n\n## Recent Runs\n\n<!-- Loop appends below this line -->\n${WRITTEN}`,
    );
    expect(appendRunLog("# Log\r\n", entry, NOW)).toBe(
      `# Log\r\n\r\n## Recent Runs\r\n\r\n<!-- Loop appends below this line -->\r\n${WRITTEN.trimEnd()}\r\n`,
    );
    expect(appendRunLog("```\n", entry, NOW)).toBe(`<!-- Loop appends below this line -->\n${WRITTEN}\`\`\`\n`);
    const fresh = appendRunLog("", entry, NOW);
    expect(fresh).toBe(appendRunLog(fresh, entry, NOW));
    expect(parseRunLog(fresh).entries).toMatchObject([{ runId: "2026-09-15T08:00:39Z" }]);
  });

  it("goes on after a line that was torn, and keeps it", () => {
    expect(appendRunLog(`${HEAD}{"run_id":"2026-0`, entry, NOW)).toBe(`${HEAD}{"run_id":"2026-0\n${WRITTEN}`);
    const old = line("2020-01-01").trimEnd();
    expect(appendRunLog(`${HEAD}${old}`, entry, NOW)).toBe(appendRunLog(HEAD, entry, NOW));
  });

  it("lets no text of an entry begin a comment", () => {
    const text = appendRunLog(HEAD, { ...entry, extra: { note: "<!-- \n -->" } }, NOW);
    expect(parseRunLog(appendRunLog(text, { ...entry, runId: "next" }, NOW)).entries).toMatchObject([
      { extra: { note: "<!-- \n -->" } },
      { runId: "next" },
    ]);
  });
});
