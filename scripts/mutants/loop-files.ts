/** Guards of files that people and loops share, and of what an audit says of them. */
import type { Mutant } from "./mutant.ts";

const FOLDER = "src/blueprint/dialects/loop-engineering";
const EDIT = `${FOLDER}/edit-state.ts`;
const EDIT_TESTS = [`${FOLDER}/edit-state.test.ts`];
const BREAKER = "src/loops/ticks/daily-breaker.ts";
const TICK_TESTS = ["src/loops/ticks"];
const READINESS = "src/loops/audit/readiness.ts";
const READINESS_TESTS = ["src/loops/audit/readiness.test.ts"];

export const LOOP_FILE_MUTANTS: readonly Mutant[] = [
  {
    name: "text of an agent may hide what comes after it",
    file: `${FOLDER}/written-text.ts`,
    find: '.replaceAll("<!--", "<! --")',
    replace: "",
    tests: EDIT_TESTS,
  },
  {
    name: "text of an agent may be several lines",
    file: `${FOLDER}/written-text.ts`,
    find: '.kept.replace(/[\\p{Cc}\\p{Zl}\\p{Zp}\\s]+/gu, " ")',
    replace: ".kept",
    tests: EDIT_TESTS,
  },
  {
    name: "what a person said about an item is dropped with it",
    file: EDIT,
    find: "item.isHeading || !isOfLoop(item)",
    replace: "item.isHeading",
    tests: EDIT_TESTS,
  },
  {
    name: "a comment of somebody else is dropped with an item",
    file: EDIT,
    find: "return /<!--|-->/.test(text.slice(start, end)) ? text : ",
    replace: "return ",
    tests: EDIT_TESTS,
  },
  {
    name: "a line that stands alone becomes a part of a new item",
    file: EDIT,
    find: 'next !== undefined && isBelow(text, next) ? [...lines, ""] : lines',
    replace: "lines",
    tests: EDIT_TESTS,
  },
  {
    name: "an item is put where nobody sees it",
    file: EDIT,
    find: "return places.find(({ hidesNext }) => !hidesNext);",
    replace: "return places[0];",
    tests: EDIT_TESTS,
  },
  {
    name: "an item in a comment is acted on",
    file: `${FOLDER}/page-lines.ts`,
    find: 'return " ".repeat(comment.length);',
    replace: "return comment;",
    tests: [`${FOLDER}/state-file.test.ts`],
  },
  {
    name: "entries without a date are pruned",
    file: `${FOLDER}/run-log.ts`,
    find: "const isOld = at !== null && now - at > KEPT_MS;",
    replace: "const isOld = now - (at ?? 0) > KEPT_MS;",
    tests: [`${FOLDER}/run-log.test.ts`],
  },
  {
    name: "an entry is appended twice",
    file: `${FOLDER}/run-log.ts`,
    find: "if (rows.some(({ start, end }) => text.slice(start, end) === own)) return text;",
    replace: "",
    tests: [`${FOLDER}/run-log.test.ts`],
  },
  {
    name: "LOOP.md raises a level",
    file: `${FOLDER}/loop-file.ts`,
    find: "loop.level < asked",
    replace: "loop.level !== asked",
    tests: [`${FOLDER}/loop-file.test.ts`],
  },
  {
    name: "a cap that nobody knows is read over",
    file: "src/blueprint/dialects/registry-fields.ts",
    find: "const COST = object(",
    replace: "const COST = openObject(",
    tests: ["src/blueprint/dialects/registry.test.ts"],
  },
  {
    name: "items that nobody has seen for long are acted on",
    file: "src/loops/audit/rot.ts",
    find: "return days > maxAgeDays ?",
    replace: "return days < 0 ?",
    tests: ["src/loops/audit/rot.test.ts"],
  },
  {
    name: "items whose subject is gone are acted on",
    file: "src/loops/audit/rot.ts",
    find: "if (paths.length > 0 && paths.every(isGone))",
    replace: "if (false)",
    tests: ["src/loops/audit/rot.test.ts"],
  },
  {
    name: "an item is not acted on because it names a version",
    file: "src/loops/audit/rot.ts",
    find: "PATH.test(text) && !NO_PATH.test(text)",
    replace: "PATH.test(text)",
    tests: ["src/loops/audit/rot.test.ts"],
  },
  {
    name: "an item is not acted on because it names a branch",
    file: "src/runtime/audit/gone-paths.ts",
    find: "if (/\\.\\w+$/.test(path) || !(await isMissing(join(root, first))))",
    replace: "",
    tests: ["src/runtime/audit/audit.test.ts"],
  },
  {
    name: "an item is not acted on because it names a file without its folder",
    file: "src/runtime/audit/gone-paths.ts",
    find: "rest.length === 0 || ",
    replace: "",
    tests: ["src/runtime/audit/audit.test.ts"],
  },
  {
    name: "of a loop that LOOP.md names twice the first level counts",
    file: "src/blueprint/dialects/loop-engineering/loop-file.ts",
    find: "return { ...first, level };",
    replace: "return first;",
    tests: ["src/blueprint/dialects/loop-engineering/loop-file.test.ts"],
  },
  {
    name: "a project is ready for L3 with a loop that was never drilled",
    file: "src/loops/audit/readiness.ts",
    find: "drill !== null && isGood(drill)",
    replace: "drill === null || isGood(drill)",
    tests: ["src/loops/audit/readiness.test.ts"],
  },
  {
    name: "a loop that cannot be run needs no drill",
    file: "src/runtime/audit/audit.ts",
    find: "drills.push((records[0] as DrillRecord | undefined) ?? null);",
    replace: "drills.push(...(records as readonly DrillRecord[]));",
    tests: ["src/runtime/audit/audit.test.ts"],
  },
  {
    name: "a project is ready for L3 without a drill",
    file: READINESS,
    find: "return drills.length > 0 && drills.every((drill) => drill !== null && isGood(drill));",
    replace: "return drills.every(isGood);",
    tests: READINESS_TESTS,
  },
  {
    name: "a level needs a score and no proofs",
    file: READINESS,
    find: "...proofs(level, facts),",
    replace: "",
    tests: READINESS_TESTS,
  },
  {
    name: "a loop goes unattended in a project that is not ready",
    file: "src/loops/earned-level.ts",
    find: 'if (level === "L3" && history.readiness !== null && history.readiness < READINESS.L3)',
    replace: "if (false)",
    tests: ["src/loops/earned-level.test.ts"],
  },
  {
    name: "a tick begins although its budget breaker was opened by hand",
    file: "src/loops/ticks/found.ts",
    find: "if (spent?.isKilled === true)",
    replace: "if (spent?.isKilled === false)",
    tests: TICK_TESTS,
  },
  {
    name: "a tick acts on what has no name, so that nobody counts how often it fails",
    file: "src/loops/ticks/found.ts",
    find: 'return "triage has named no item: attempts at it could not be counted";',
    replace: "return null;",
    tests: TICK_TESTS,
  },
  {
    name: "a tick acts on what a person has not decided yet",
    file: "src/loops/ticks/found.ts",
    find: ".length > 0 && !isDecided ?",
    replace: ".length > 0 && isDecided ?",
    tests: TICK_TESTS,
  },
  {
    name: "a budget breaker that cannot count is closed",
    file: BREAKER,
    find: "isKilled || !(today() < cap)",
    replace: "isKilled || today() >= cap",
    tests: TICK_TESTS,
  },
  {
    name: "a budget breaker gives tokens back",
    file: BREAKER,
    find: "today() + Math.max(0, tokens)",
    replace: "today() + tokens",
    tests: TICK_TESTS,
  },
  {
    name: "a clock that is put back gives a loop its day again",
    file: BREAKER,
    find: "if (current > day)",
    replace: "if (current !== day)",
    tests: TICK_TESTS,
  },
];
