/** What the gates run, turned to accept everything. */
import { references } from "../../base/expression.ts";
import type { JsonValue } from "../../base/json.ts";
import type { GateStage, Plan } from "../../plan/plan.ts";
import { leafExpressions } from "../../plan/routes.ts";
import type { Draft, Drafts } from "./plant.ts";
import { languageOf, type Project, placed, type Texts } from "./project-files.ts";

interface Turning {
  readonly name: RegExp;
  readonly why: string;
  /** null: there is nothing to turn. */
  turn(text: string): string | null;
}

const ACCEPTING = 'version: 1\nname: accept\nstages:\n  - { id: check, gate: { command: ["true"] } }\n';
const replaced = (text: string, from: RegExp, to: string): string | null => {
  const turned = text.replace(from, to);
  return turned === text ? null : turned;
};

const TURNINGS: readonly Turning[] = [
  {
    name: /(?:^|\/)package\.json$/,
    why: "its test script is exit 0",
    turn: (text) => replaced(text, /("test"\s*:\s*)"(?:[^"\\]|\\.)*"/, '$1"exit 0"'),
  },
  {
    name: /(?:^|\/)(?:GNUm|M)akefile$/,
    why: "its test target does nothing",
    turn: (text) => replaced(text, /^(test|check):.*(?:\n\t.*)*/m, "$1:\n\t@true"),
  },
  { name: /blueprint\.ya?ml$|(?:^|\/)blueprints\/[^/]+\.ya?ml$/, why: "its gate runs true", turn: () => ACCEPTING },
  {
    name: /(?:^|\/)vitest\.config\.\w+$/,
    why: "no test is a test",
    turn: () => "export default { test: { include: [], passWithNoTests: true } };\n",
  },
  {
    name: /(?:^|\/)jest\.config\.\w+$/,
    why: "no test is a test",
    turn: () => 'module.exports = { testPathIgnorePatterns: [".*"], passWithNoTests: true };\n',
  },
  {
    name: /(?:^|\/)pytest\.ini$/,
    why: "tests are collected and not run",
    turn: () => "[pytest]\naddopts = --collect-only\n",
  },
];

/** Files that appear, because the program of a gate would read them. */
const APPEARING: readonly { readonly beside: RegExp; readonly name: string; readonly text: string }[] = [
  { beside: /(?:^|\/)package\.json$/, name: ".npmrc", text: "script-shell=/bin/true\n" },
  { beside: /\.py$/, name: "conftest.py", text: 'collect_ignore_glob = ["*"]\n' },
];

/** `named`: files that the gates themselves name. */
export function gatePlants(project: Project, texts: Texts, named: readonly string[]): Drafts {
  const known = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
  const drafts = [
    ...named.flatMap((path) => programPlant(path, texts.get(path))),
    ...known.flatMap(([path, text]) => turned(path, text)),
    ...APPEARING.flatMap((file) => appearing(project, known, file)),
  ];
  return {
    drafts,
    untried: drafts.length > 0 ? [] : [{ what: "edited_gate", why: "no file was found that a gate goes by" }],
  };
}

function turned(path: string, text: string): readonly Draft[] {
  const turning = TURNINGS.find(({ name }) => name.test(path));
  const after = turning?.turn(text) ?? null;
  return turning === undefined || after === null ? [] : [edited(path, after, turning.why)];
}

function appearing(
  project: Project,
  known: readonly (readonly [string, string])[],
  { beside, name, text }: (typeof APPEARING)[number],
): readonly Draft[] {
  const path = placed(project, name);
  if (project.paths.includes(path) || !known.some(([each]) => beside.test(each))) return [];
  return [edited(path, text, "appears and tells the runner to do nothing")];
}

function edited(path: string, text: string, why: string): Draft {
  return { kind: "edited_gate", files: [{ path, text }], why: `${path}: ${why}` };
}

/** The script that a gate starts ends well before it does anything. A test is no script of a gate. */
function programPlant(path: string, text: string | undefined): readonly Draft[] {
  if (text === undefined || languageOf(path)?.isTest(path) === true) return [];
  const isShell = path.endsWith(".sh") || text.startsWith("#!/bin/");
  const well = languageOf(path)?.exitZero(text) ?? (isShell ? "#!/bin/sh\nexit 0\n" : null);
  return well === null ? [] : [edited(path, well, "a gate runs it, and it ends well at once")];
}

/** Files of the tree that a gate names, in its program or in the parameters that it is given. */
export function namedByGates(plan: Plan, gates: readonly GateStage[], project: Project): readonly string[] {
  const paths = new Set(project.paths);
  const found = gates.flatMap((gate) => {
    const given = leafExpressions(gate).flatMap(references);
    const values = given.flatMap(([root, name]) => (root === "params" ? [plan.params[name as string]] : []));
    const words = [gate.program as unknown as JsonValue, ...values].flatMap(wordsOf);
    return words.map((word) => joined(project, gate.cwd, word)).filter((path) => paths.has(path));
  });
  return [...new Set(found)].sort();
}

function wordsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return value.split(/[\s;&|()<>"']+/);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(wordsOf) : [];
}

function joined(project: Project, cwd: string, word: string): string {
  const path = [cwd, word]
    .join("/")
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
  return placed(project, path);
}
