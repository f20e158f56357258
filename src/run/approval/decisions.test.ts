import { describe, expect, it } from "vitest";
import { readDecisions } from "./decisions.ts";

const A = "dgpc5g7kctag-ab617c2782348a10";
const B = "dgpc5g7kctag-f8de851bc633b2e0";

describe("readDecisions", () => {
  it("reads what a person has checked and decided", () => {
    const text = `# State

- [x] ${A} — allow the change of the lockfile. Human decision: approve
- [X] \`${B}\` — remove the old tests
  - some note
  Human decision: **deny** — they are still needed
`;
    expect(readDecisions(text)).toEqual({
      decisions: [
        { id: A, line: 3, answer: "approve", why: null },
        { id: B, line: 4, answer: "deny", why: "they are still needed" },
      ],
      unclear: [],
    });
  });

  it.each([
    ["approved", "approve"],
    ["Approve: looks fine", "approve"],
    ["denied.", "deny"],
    ["rejected", "deny"],
    ["REJECT too large", "deny"],
  ])("takes %s", (word, answer) => {
    expect(readDecisions(`* [x] ${A}: Human decision: ${word}`).decisions).toMatchObject([{ answer }]);
  });

  it.each([
    ["it is checked and has no decision", `- [x] ${A} — something`],
    ["it is checked and has no decision", `- [x] ${A}\n\nHuman decision:`],
    ["it has a decision and is not checked", `- [ ] ${A} Human decision: approve`],
    ["it is listed more than once", `- [x] ${A} Human decision: approve\n- [x] ${A} Human decision: approve`],
    ["it has more than one decision", `- [x] ${A} Human decision: approve\n  Human decision: deny`],
    ["it says more than one thing", `- [x] ${A} Human decision: approve or deny`],
    ['"approve_run" is neither approve nor deny', `- [x] ${A} Human decision: approve_run`],
    ['"maybe" is neither approve nor deny', `- [x] ${A} Human decision: maybe`],
    ['"not approved" is neither approve nor deny', `- [x] ${A} Human decision: not approved`],
  ])("answers nothing when %s", (problem, text) => {
    const { decisions, unclear } = readDecisions(text);
    expect(decisions).toEqual([]);
    expect(unclear[0]).toEqual({ id: A, line: 1, problem });
  });

  it.each([
    "",
    "Human decision: approve",
    `- [ ] ${A} — not decided yet`,
    "- [x] TASK-7 — done. Human decision: approve",
    `- [x] ${A.slice(0, 20)} Human decision: approve`,
    `- [x] ${A}ff Human decision: approve`,
    `text about ${A}, Human decision: approve`,
    `- ${A} Human decision: approve`,
    `- [ ] ${A}\n- [x] another item\n  Human decision: approve`,
    `- [ ] ${A}\n## Next\nHuman decision: approve`,
  ])("leaves alone what is no decision about a question: %j", (text) => {
    expect(readDecisions(text)).toEqual({ decisions: [], unclear: [] });
  });
});
