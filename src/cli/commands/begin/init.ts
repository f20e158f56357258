import { rename, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import { unreadManifests } from "../../../runtime/survey/package-manifest.ts";
import { isThere } from "../../../runtime/survey/project-text.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { foreignLoops } from "../../input/survey/foreign-loops.ts";
import { projectYaml } from "../../input/survey/project-yaml.ts";
import { type BrokenLoop, type Survey, survey } from "../../input/survey/survey.ts";
import type { CommandSpec, Context, Given } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { shellWord } from "../../views/run.ts";
import { renderLabelled } from "../../views/text/table.ts";

const FILE = "pawl.yaml";

export const initCommand: CommandSpec = {
  name: "init",
  summary: "Look at this project and write its pawl.yaml",
  details: [
    `Finds the test command, the agents that are installed, and the blueprints, patterns and workspaces that lie here; writes ${FILE} at the project root, and nothing else.`,
    "No command of the project is run. A file that exists is never changed: --force moves it aside first.",
    "--eject writes the blueprint of a loop that comes with Pawl into blueprints/, for you to change.",
  ],
  arguments: [
    { name: "command", summary: "the test command, when it should not be looked for", required: false, rest: true },
  ],
  options: [
    {
      kind: "text",
      flags: "--from <path>",
      summary: "a workspace, pattern or blueprint of another system; . for all here",
    },
    { kind: "text", flags: "--project-root <path>", summary: "write an openloop workspace for this project" },
    { kind: "text", flags: "--mission <text>", summary: "what the loop of that workspace is for" },
    { kind: "text", flags: "--eject <loop>", summary: "write out the blueprint of this loop instead" },
    { kind: "flag", flags: "--force", summary: `write ${FILE} anew, and keep the old one as ${FILE}.bak` },
  ],
  examples: [
    { line: "pawl init", does: "look for everything" },
    { line: "pawl init -- make check", does: "say the test command" },
    { line: "pawl init --from .", does: "begin with an openloop, loop-engineering or OpenExec project" },
    { line: "pawl init .openloop/demo --project-root . --mission 'Keep it working'", does: "an openloop workspace" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const workspace = workspaceNamed(context.given);
    if (workspace !== undefined) return (await import("../../openloop/init.ts")).initWorkspace(context, workspace);
    const eject = context.given.text("eject");
    return eject === undefined ? begin(context) : (await import("../../runs/eject.ts")).ejectLoop(context, eject);
  },
};

/** An openloop workspace: what lies in `.openloop`, or goes with an option of its own. */
function workspaceNamed(given: Given): string | undefined {
  const [name, ...others] = given.list("command");
  if (name === undefined || others.length > 0) return undefined;
  const isMeant = given.text("project-root") !== undefined || given.text("mission") !== undefined;
  return isMeant || /(^|\/)\.openloop(\/|$)/.test(name) ? name : undefined;
}

async function begin(context: Context): Promise<ExitCode> {
  const { given, root } = context;
  const runtime = await context.open({ readOnly: true });
  const path = join(root, FILE);
  const force = given.flag("force");
  if (!force && (await isThere(path))) throw pawlError(CLI_ERRORS, "CLI_FILE_EXISTS", { path });
  const looked = await survey(root, runtime, given.list("command"));
  const from = given.text("from");
  const loops = from === undefined ? looked.loops : await foreignLoops(context, runtime, from, looked);
  const found = { ...looked, loops };
  if (found.test === null && found.loops.length === 0)
    throw pawlError(CLI_ERRORS, "CLI_TEST_COMMAND_UNKNOWN", {
      root,
      unread: (await unreadManifests(root)).join(" and "),
    });
  const backup = force ? await moveAside(path) : null;
  await write(path, projectYaml(found));
  tell(context, found, { path, backup });
  return EXIT.succeeded;
}

/** The name that the old file has now; null: there was none. */
async function moveAside(path: string): Promise<string | null> {
  if (!(await isThere(path))) return null;
  for (let number = 0; ; number += 1) {
    const backup = `${path}.bak${number === 0 ? "" : `.${number}`}`;
    if (await isThere(backup)) continue;
    await rename(path, backup);
    return backup;
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw pawlError(CLI_ERRORS, "CLI_FILE_EXISTS", { path });
    throw pawlError(CLI_ERRORS, "CLI_FILE_UNWRITABLE", { path, message: code ?? message });
  }
}

function tell(context: Context, found: Survey, { path, backup }: { path: string; backup: string | null }): void {
  const { out, cwd } = context;
  const first = found.test === null ? (found.loops[0]?.name ?? "") : "check";
  const next = [`pawl plan ${shellWord(first)}`, `pawl run ${shellWord(first)}`, "pawl doctor"];
  const { test, lint, ci, agents, loops } = found;
  const broken = found.broken.map((loop) => ({ source: loop.source, problem: saidOf(loop) }));
  if (out.format === "json") out.document({ path, backup, test, lint, ci, agents, loops, broken, next });
  out.line(`wrote ${out.paint.bold(oneLine(relative(cwd, path) || FILE))}`);
  if (backup !== null) out.line(`the old one is ${oneLine(relative(cwd, backup))}`);
  for (const line of renderLabelled(facts(found), out.paint.cyan)) out.line(`  ${line}`);
  out.line();
  out.line("Next:");
  out.line(`  ${out.paint.cyan(next[0] ?? "")}  what would run, and its worst case`);
  out.line(`  ${out.paint.cyan(next[1] ?? "")}   run it`);
  out.line(`  ${out.paint.cyan(next[2] ?? "")}      whether everything it needs is here`);
}

/** The first of its problems, with its place. */
function saidOf({ source, problems: [first] }: BrokenLoop): string {
  const { where, what = "" } = first ?? {};
  return where === undefined ? `${source}: ${what}` : `${where.file}:${where.line}:${where.column} ${what}`;
}

function facts({ test, lint, ci, workspace, agents, loops, broken }: Survey): (readonly [string, string])[] {
  const words = (argv: readonly string[]): string => oneLine(argv.map(shellWord).join(" "));
  const known = agents.map(({ name, version, hasKey }) => `${name} ${version}${hasKey ? "" : " (no key)"}`);
  return [
    ["tests", test === null ? "none found" : `${words(test.argv)} (from ${oneLine(test.from)})`],
    ...(lint === null ? [] : [["linter", `${words(lint.argv)} (from ${oneLine(lint.from)})`] as const]),
    ...(ci.length === 0 ? [] : [["CI", oneLine(ci.join(", "))] as const]),
    ["git", workspace.isRepository ? "runs work in a private clone" : "no repository: runs see this folder read-only"],
    ...(workspace.share.length === 0 ? [] : [["shared", workspace.share.join(", ")] as const]),
    ["agents", known.length === 0 ? "none installed" : oneLine(known.join(", "))],
    ...(loops.length === 0 ? [] : [["found", oneLine(loops.map(({ name }) => name).join(", "))] as const]),
    ...broken.map((loop) => ["left out", oneLine(saidOf(loop))] as const),
  ];
}
