/** One call of the command line: find the command, load it, parse, run, tell what went wrong, leave with its code. */
import { pawlError } from "../base/errors.ts";
import { readConfig } from "../runtime/config.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { COMMANDS } from "./commands.ts";
import { CLI_ERRORS } from "./errors.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { renderHelp, renderOverview } from "./help.ts";
import { suggest } from "./input/suggest.ts";
import { createInterrupts } from "./interrupts.ts";
import { createOutput, type Output } from "./output.ts";
import { asksForHelp, commandName, formatOf, type GlobalOptions, parseArgs, parseGlobals } from "./parse-args.ts";
import { problemsOf, reportLoss, reportProblems } from "./report-problems.ts";
import type { CommandSpec, Context, Given } from "./spec.ts";

/** Never rejects: the process ends here, after everything written has left. */
export async function runCli(argv: readonly string[]): Promise<void> {
  const config = readConfig({
    cwd: folderNow() ?? "/",
    ...(argv.includes("--no-color") ? { flags: { color: false } } : {}),
  });
  const out = createOutput(process.stdout, process.stderr, { format: formatOf(argv), color: config.color.value });
  // What fails beside the command, where nobody waits for it, is reported like what fails in it.
  process.once("uncaughtException", (error) => process.exit(reportError(error, out)));
  let code = await callCli(argv, out);
  await flushed(process.stdout);
  if (reportLoss(out) && code === EXIT.succeeded) code = EXIT.failed;
  await flushed(process.stderr);
  process.exit(code);
}

/** One call inside this process; never rejects. */
export async function callCli(argv: readonly string[], out: Output): Promise<ExitCode> {
  try {
    if (folderNow() === null) throw pawlError(CLI_ERRORS, "CLI_FOLDER_GONE", {});
    return await dispatch(argv, out);
  } catch (error) {
    return reportError(error, out);
  }
}

function reportError(error: unknown, out: Output): ExitCode {
  const cwd = folderNow() ?? "/";
  return reportProblems(out, { problems: problemsOf(error, out), sources: {}, root: cwd, cwd });
}

/** null: somebody has removed it. */
function folderNow(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

async function dispatch(argv: readonly string[], out: Output): Promise<ExitCode> {
  const name = commandName(argv);
  if (name === undefined) {
    parseGlobals(argv);
    out.write(`${renderOverview(out.paint)}\n`);
    return EXIT.succeeded;
  }
  if (name === "help") return help(commandName(argv.slice(argv.indexOf("help") + 1)), out);
  if (asksForHelp(argv)) return help(name, out);
  const spec = await load(name);
  const { given, globals } = parseArgs(spec, argv);
  return runCommand(spec, given, globals, out);
}

async function help(name: string | undefined, out: Output): Promise<ExitCode> {
  out.write(`${name === undefined ? renderOverview(out.paint) : renderHelp(await load(name), out.paint)}\n`);
  return EXIT.succeeded;
}

async function load(name: string): Promise<CommandSpec> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined)
    throw pawlError(CLI_ERRORS, "CLI_COMMAND_UNKNOWN", { name, near: suggest(name, Object.keys(COMMANDS)) });
  return entry.load();
}

async function runCommand(spec: CommandSpec, given: Given, globals: GlobalOptions, out: Output): Promise<ExitCode> {
  const config = readConfig(globals.root === undefined ? {} : { flags: { root: globals.root } });
  const root = config.root.value;
  const by = config.user;
  const opened: Runtime[] = [];
  const context: Context = {
    given,
    root,
    out,
    by,
    isInStage: config.isInStage,
    cwd: process.cwd(),
    interrupts: createInterrupts(process),
    now: Date.now,
    open: async (options) => {
      const { openRuntime } = await import("../runtime/wire.ts");
      const runtime = await openRuntime({ root, config, ...options });
      opened.push(runtime);
      return runtime;
    },
  };
  try {
    return await spec.run(context);
  } finally {
    for (const runtime of opened) await runtime.close();
  }
}

/** Resolves when what was written has left, or cannot any more. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write("", () => resolve());
  });
}
