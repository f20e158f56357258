import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { findTestCommand, type TestCommand } from "../../input/find-test-command.ts";
import { type FoundWorkspace, findWorkspace } from "../../input/find-workspace.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { shellWord } from "../../views/run.ts";

const FILE = "blueprint.yaml";

export const initCommand: CommandSpec = {
  name: "init",
  summary: "Write a first blueprint that runs this project's tests",
  details: [`Finds the test command, writes ${FILE} at the project root, and nothing else. Nothing is executed.`],
  arguments: [
    { name: "command", summary: "the test command, when it should not be looked for", required: false, rest: true },
  ],
  options: [{ kind: "flag", flags: "--force", summary: `replace ${FILE} if it exists` }],
  examples: [
    { line: "pawl init", does: "look for the test command" },
    { line: "pawl init -- make check", does: "say it" },
    { line: "pawl init --force", does: "begin again" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out } = context;
    const test = await testCommand(context);
    const path = join(context.root, FILE);
    const workspace = await findWorkspace(context.root);
    await write(path, renderFirstBlueprint(test.argv, workspace), context.given.flag("force"));
    const shown = relative(context.cwd, path);
    const next = [`pawl plan ${shellWord(shown)}`, `pawl run ${shellWord(shown)}`];
    if (out.format === "json") out.document({ path, test: test.argv, from: test.from, next });
    out.line(
      `wrote ${out.paint.bold(oneLine(shown))}: it runs ${out.paint.bold(test.argv.map(shellWord).join(" "))} (from ${test.from})`,
    );
    out.line();
    out.line("Next:");
    out.line(`  ${out.paint.cyan(next[0] ?? "")}  what would run, and its worst case`);
    out.line(`  ${out.paint.cyan(next[1] ?? "")}   run it`);
    return EXIT.succeeded;
  },
};

async function testCommand(context: Context): Promise<TestCommand> {
  const given = context.given.list("command");
  if (given.length > 0) return { argv: given, from: "the command line" };
  const found = await findTestCommand(context.root);
  if (found === undefined) throw pawlError(CLI_ERRORS, "CLI_TEST_COMMAND_UNKNOWN", { root: context.root });
  return found;
}

async function write(path: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: force ? "w" : "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw pawlError(CLI_ERRORS, "CLI_FILE_EXISTS", { path });
    throw pawlError(CLI_ERRORS, "CLI_FILE_UNWRITABLE", { path, message: code ?? message });
  }
}

/** JSON is YAML: every argument is quoted exactly. */
function flowList(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

function renderWorkspace({ isRepository, share }: FoundWorkspace): string {
  if (!isRepository) {
    return `# There is no git repository here: stages see this folder read-only. With one, each run gets a private clone.
workspace: directory`;
  }
  const copies = share.length === 0 ? "" : `, share: ${flowList(share)}`;
  return `# Every run works in a private clone of the last commit, behind a sandbox; your own files stay as they are.
workspace: { kind: clone, from: head${copies} }`;
}

/** `argv` is what tests the project. */
function renderFirstBlueprint(argv: readonly string[], workspace: FoundWorkspace): string {
  // In a command `$${` is a plain `${`; a rule has no references, so it is written as it is.
  const command = flowList(argv.map((word) => word.split("${").join("$${")));
  const rule = flowList(argv);
  return `# A blueprint: stages that run one after the other, within limits, under a policy.
# See what it would do with \`pawl plan ${FILE}\`; run it with \`pawl run ${FILE}\`.
version: 1
name: check
description: Run the tests of this project.

${renderWorkspace(workspace)}

# The run ends when one of these is reached, whatever happens.
limits: { stages: 10, wall: 1h }

# What no rule allows is denied before it starts.
policy:
  allow:
    - { run: ${rule} }

# For every stage that does not say otherwise.
defaults: { timeout: 20m }

stages:
  # A gate is a check: exit code 0 passes, any other fails. Only a passed gate makes a run a success.
  - id: tests
    title: Run the tests
    gate: { command: ${command} }
    on: { pass: done, fail: fail }
`;
}
