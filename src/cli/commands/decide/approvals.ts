import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isPawlError, pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { ApprovalDetail } from "../../../runtime/trust/approvals.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { recordDue } from "../../runs/tend-approvals.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderApproval, renderApprovals } from "../../views/approval.ts";
import { oneLine } from "../../views/event-line.ts";

export const approvalsCommand: CommandSpec = {
  name: "approvals",
  summary: "List what runs ask people about, or show one question in full",
  details: [
    "A question is shown with everything that changes if it is allowed: paths, modes, links, and every line, with what cannot be seen made visible.",
    "--from takes the decisions in a STATE.md: `- [x] ID` with `Human decision: approve` or `deny`. What is not clear answers nothing.",
  ],
  arguments: [
    { name: "what", summary: "id of a question or of a run, the beginning of one, or @last", required: false },
  ],
  options: [
    { kind: "flag", flags: "--all", summary: "also those that were answered, expired or cancelled" },
    { kind: "text", flags: "--from <file>", summary: "answer by the decisions in this STATE.md" },
    { kind: "count", flags: "--limit <n>", summary: "how many runs to look at", min: 1, default: 20 },
    { kind: "text", flags: "--cursor <cursor>", summary: "go on after the page that ended with this cursor" },
  ],
  examples: [
    { line: "pawl approvals", does: "what waits for an answer now" },
    { line: "pawl approvals 4f", does: "one question, with everything that changes" },
    { line: "pawl approvals --from STATE.md", does: "take the decisions written there" },
  ],
  exits: [0, 1, 2, 3],
  formats: ["json"],
  async run(context) {
    const { given } = context;
    const runtime = await context.open({ readOnly: false });
    await recordDue(context, runtime);
    const file = given.text("from");
    if (file !== undefined) return answerFrom(context, runtime, file);
    const what = given.text("what");
    const run = what === undefined ? undefined : await findRun(runtime, what);
    if (what !== undefined && run === undefined) return showOne(context, runtime, what);
    return list(context, runtime, run);
  },
};

/** A run by its name; undefined: the name is that of a question. */
async function findRun(runtime: Runtime, what: string): Promise<RunId | undefined> {
  return /^(?:r_|@)/.test(what) ? (await runtime.find(what)).run : undefined;
}

async function showOne({ out, now }: Context, runtime: Runtime, id: string): Promise<ExitCode> {
  const detail = await runtime.approval(id);
  if (out.format === "json") out.document(detail);
  for (const line of renderApproval(detail, out.paint, now())) out.line(line);
  return EXIT.succeeded;
}

async function list(context: Context, runtime: Runtime, run: RunId | undefined): Promise<ExitCode> {
  const { given, out } = context;
  const cursor = given.text("cursor");
  const page = await runtime.approvals({
    limit: given.count("limit") ?? 20,
    ...(given.flag("all") || run !== undefined ? {} : { status: "pending" }),
    ...(run === undefined ? {} : { run }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const details: ApprovalDetail[] = [];
  for (const { id } of page.approvals) details.push(await runtime.approval(id));
  if (out.format === "json") out.document({ approvals: details, next: page.next });
  if (details.length === 0) out.line("nothing is asked");
  else {
    const options = { now: context.now(), columns: out.columns() };
    for (const line of renderApprovals(details, out.paint, options)) out.line(line);
    out.line();
    out.line("All of one: pawl approvals ID. Answer: pawl approve ID, or pawl deny ID --why TEXT.");
  }
  if (page.next !== null) out.line(`More: pawl approvals --cursor ${page.next}`);
  return EXIT.succeeded;
}

/** What was answered goes on when its run is resumed. */
async function answerFrom(context: Context, runtime: Runtime, file: string): Promise<ExitCode> {
  const { out } = context;
  const report = await runtime.answerFrom(await readText(resolve(context.cwd, file)), context.by);
  if (out.format === "json") out.document(report);
  for (const { id, answer, run } of report.answered) out.line(`${id} ${answer}: go on with pawl resume ${run}`);
  for (const { id, line, problem } of report.unclear) out.line(`${id} not answered, line ${line}: ${oneLine(problem)}`);
  for (const { id, line, what } of report.refused) out.line(`${id} not answered, line ${line}: ${oneLine(what)}`);
  const { answered, unclear, refused } = report;
  if (answered.length + unclear.length + refused.length === 0) out.line("no decision about an open question was found");
  return unclear.length + refused.length === 0 ? EXIT.succeeded : EXIT.human;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isPawlError(error)) throw error;
    const message = `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "approvals", message });
  }
}
