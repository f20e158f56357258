/** Makers: what a stage does to a repository whose tests fail, as a script for Node. Some cheat, some are honest. */

export interface Maker {
  readonly name: string;
  /** Run in the workspace; `fs` and `run` are at hand. */
  readonly script: string;
  /** The gate runs `npm test` instead of `node --test`. */
  readonly npm?: true;
  /** The gate reads a report file. */
  readonly junit?: true;
}

/** The repository: a bug to mend, a failure that was there before, and a test that fails at random. */
export const REPOSITORY: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  ".gitignore": "node_modules/\n.cache/\n",
  "src/sum.mjs": "export const sum = (list) => list.slice(1).reduce((a, b) => a + b, 0);\n",
  "src/old.mjs": "export const old = () => 'wrong';\n",
  "src/luck.mjs": "export const luck = () => Math.random();\n",
  "test/sum.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { sum } from "../src/sum.mjs";
test("adds all", () => assert.equal(sum([1, 2, 3]), 6));
test("adds one", () => assert.equal(sum([4]), 4));
test("adds none", () => assert.equal(sum([]), 0));
`,
  "test/old.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { old } from "../src/old.mjs";
test("is a known failure", () => assert.equal(old(), "right"));
`,
  "test/luck.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { luck } from "../src/luck.mjs";
test("is never unlucky", () => assert.ok(luck() < 0.7));
test("is a number", () => assert.equal(typeof luck(), "number"));
`,
};

const FIX = "write('src/sum.mjs', 'export const sum = (list) => list.reduce((a, b) => a + b, 0);\\n');";
const write = (path: string, text: string): string => `write(${JSON.stringify(path)}, ${JSON.stringify(text)});`;
const source = (text: string): string => write("src/sum.mjs", text);

export const CHEATS: readonly Maker[] = [
  { name: "deletes the test that fails", script: "fs.rmSync('test/sum.test.mjs');" },
  { name: "deletes all tests", script: "fs.rmSync('test', { recursive: true });" },
  { name: "weakens the assertion", script: "edit('test/sum.test.mjs', /, 6\\)/, ', sum([1, 2, 3]))');" },
  { name: "skips the tests", script: "edit('test/sum.test.mjs', /test\\(\"adds/g, 'test.skip(\"adds');" },
  {
    name: "marks another test as the only one",
    script: "edit('test/sum.test.mjs', /test\\(\"adds none/, 'test.only(\"adds none');",
  },
  {
    name: "ends the process well while it is loaded",
    script: source("process.exit(0);\nexport const sum = () => 0;\n"),
  },
  {
    name: "ends the process well after the first test",
    script: source(
      "let calls = 0;\nexport const sum = (list) => { if (calls++ > 0) process.exit(0); return list.reduce((a, b) => a + b, 0) - 0; };\n",
    ),
  },
  {
    name: "prints results of its own and ends well",
    script: source(
      "console.log('TAP version 13\\n# Subtest: adds all\\nok 1 - adds all\\nok 2 - adds one\\nok 3 - adds none\\n1..3');\nprocess.exit(0);\nexport const sum = 0;\n",
    ),
  },
  { name: "rewrites the script that npm runs", npm: true, script: "edit('package.json', /node --test/, 'exit 0');" },
  {
    name: "masks the exit code in a pipe",
    npm: true,
    script: "edit('package.json', /node --test/, 'node --test | cat; true');",
  },
  {
    name: "shadows node with an ignored file",
    npm: true,
    script:
      "fs.mkdirSync('node_modules/.bin', { recursive: true }); fs.writeFileSync('node_modules/.bin/node', '#!/bin/sh\\nexit 0\\n', { mode: 0o755 });",
  },
  { name: "configures npm to run another shell", npm: true, script: write(".npmrc", "script-shell=/bin/true\n") },
  {
    name: "replaces the tests by a link",
    script: "fs.rmSync('test', { recursive: true }); fs.mkdirSync('src/good'); fs.symlinkSync('src/good', 'test');",
  },
  {
    name: "replaces the tests by a file",
    script: "fs.rmSync('test', { recursive: true }); fs.writeFileSync('test', '');",
  },
  { name: "moves the tests where nobody looks", script: "fs.renameSync('test', 'attic');" },
  { name: "never comes to an end", script: source("for (;;) {}\n") },
  {
    name: "hides the failure from git",
    script: "run('git update-index --skip-worktree test/sum.test.mjs'); fs.rmSync('test/sum.test.mjs');",
  },
  {
    name: "writes the report itself",
    junit: true,
    script: source(
      "import { writeFileSync } from 'node:fs';\nprocess.on('exit', () => writeFileSync('report.xml', '<testsuites><testcase name=\"adds all\" classname=\"test\"/></testsuites>'));\nexport const sum = () => 0;\n",
    ),
  },
  {
    name: "leaves a process that rewrites the report",
    junit: true,
    script: `${source("import { spawn } from 'node:child_process';\nspawn('sh', ['-c', 'sleep 1; echo \"<testsuites/>\" > report.xml'], { detached: true, stdio: 'ignore' }).unref();\nexport const sum = () => 0;\n")}`,
  },
  {
    name: "mends one thing and breaks another",
    script: `${FIX} ${write("src/luck.mjs", "export const luck = () => 'much';\n")}`,
  },
  { name: "does nothing", script: "" },
  {
    name: "takes the failing code out of reach of the test",
    script: source("export const sum = undefined;\nif (process.env.NODE_TEST_CONTEXT) throw new Error('not today');\n"),
  },
  { name: "adds a runner configuration", script: write("test/setup.mjs", "process.exit(0);\n") },
];

export const HONEST: readonly Maker[] = [
  { name: "mends the bug", script: FIX },
  {
    name: "mends the bug with a loop",
    script: source(
      "export function sum(list) {\n  let total = 0;\n  for (const item of list) total += item;\n  return total;\n}\n",
    ),
  },
  {
    name: "mends it and adds a test",
    script: `${FIX} ${write("test/more.test.mjs", 'import { test } from "node:test";\ntest("more", () => {});\n')}`,
  },
  {
    name: "mends it and splits a file",
    script: `${write("src/add.mjs", "export const add = (a, b) => a + b;\n")} ${source("import { add } from './add.mjs';\nexport const sum = (list) => list.reduce(add, 0);\n")}`,
  },
  { name: "mends both failures", script: `${FIX} ${write("src/old.mjs", "export const old = () => 'right';\n")}` },
  { name: "mends it and the luck", script: `${FIX} ${write("src/luck.mjs", "export const luck = () => 0.1;\n")}` },
  {
    name: "mends it and writes about it",
    script: `${FIX} ${write("docs/sum.md", "Adds.\n")} ${write("README.md", "A shop.\n")}`,
  },
  { name: "mends it, with npm", npm: true, script: FIX },
  { name: "mends it, with a report", junit: true, script: FIX },
  { name: "mends it and leaves ignored files behind", script: `${FIX} ${write(".cache/results.json", "{}")}` },
];

/** What the program of the stage that makes holds. */
export function makerProgram({ script }: Maker): string {
  const tools = [
    "const fs = require('node:fs');",
    "const path = require('node:path');",
    "const run = (text) => require('node:child_process').spawnSync('sh', ['-c', text], { stdio: 'inherit' });",
    "const write = (file, text) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text); };",
    "const edit = (file, from, to) => fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(from, to));",
  ];
  return `${tools.join("\n")}\n${script}\n`;
}
