import { expect, it } from "vitest";
import { CHANGE_RULES } from "../../test/support/judgement/change-rules.ts";
import type { ChangedFile } from "./change.ts";
import { judgeMerge, type MergeFacts } from "./merge.ts";

const RULES = { ...CHANGE_RULES, allow: ["docs/**"] };
const GOOD: MergeFacts = { verified: true, level: "L3" };

function file(path: string): ChangedFile {
  return { status: "modified", path, oldMode: "100644", newMode: "100644", addedLines: 1, deletedLines: 0 };
}

function short(path: string, facts: Partial<MergeFacts> = {}, rules = RULES): string {
  const { outcome, trigger, reason } = judgeMerge(rules, [file(path)], { ...GOOD, ...facts });
  return `${outcome} ${trigger}: ${reason}`;
}

it("merges what is listed and verified", () => {
  expect(short("docs/a.md")).toBe("pass ok: 1 files, 1 lines");
});

it("asks a person for everything that is not certain", () => {
  expect(short("src/a.ts")).toBe("escalate not_allowlisted: not on the allow list: src/a.ts");
  expect(short("docs/a.md", { level: "L2" })).toBe("escalate level: at level L2 a person merges");
  expect(judgeMerge({ ...RULES, allow: null }, [file("docs/a.md")], GOOD)).toMatchObject({
    outcome: "escalate",
    trigger: "not_allowlisted",
    reason: "there is no list of what may be merged",
  });
});

it("fails what is denied or not verified, whatever the rules say", () => {
  expect(short("docs/.env", {}, { ...RULES, denied: "escalate" })).toBe("fail denylist: denied path: docs/.env");
  expect(short("src/a.ts", { verified: false, level: "L1" })).toBe(
    "fail unverified: the gates did not all pass on exactly this tree",
  );
});

it("has nothing to merge in an empty change", () => {
  expect(judgeMerge(RULES, [], { ...GOOD, verified: false }).outcome).toBe("empty");
});
