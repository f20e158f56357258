import { pawlError } from "../../../base/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import { formatBytes } from "../../../base/size.ts";
import type { RunRow } from "../../../ports/store/run-index.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { suggest } from "../../input/suggest.ts";
import type { Paint } from "../../output.ts";
import { followLogs } from "../../runs/follow-logs.ts";
import { readEvents } from "../../runs/read-events.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { logText } from "../../views/log-text.ts";
import { type AttemptStory, beginStory, type RunStory, tell } from "../../views/run-story.ts";

export const logsCommand: CommandSpec = {
  name: "logs",
  summary: "Print what the stages of a run wrote",
  details: [
    "Standard output and error as they came, secrets masked. Characters that would steer a terminal are shown as escapes; --raw prints the stored bytes.",
    "What a stage under way has written so far is shown too; with --follow it is printed as it comes.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [
    { kind: "text", flags: "--stage <stage>", summary: "only this stage, and the members of it when it is a group" },
    { kind: "count", flags: "--attempt <n>", summary: "only this attempt", min: 1 },
    { kind: "flag", flags: "--follow", summary: "wait for more until the run has ended" },
    { kind: "flag", flags: "--raw", summary: "the stored bytes and nothing else" },
    { kind: "flag", flags: "--transcript", summary: "what agents said, asked and were told, one event a line" },
    {
      kind: "text",
      flags: "--file <path>",
      summary: "a file that the stage was to keep, as `pawl show` names it, or what an action stored",
    },
  ],
  examples: [
    { line: "pawl logs @last", does: "everything the newest run wrote" },
    { line: "pawl logs r_4f --stage test --attempt 2 --raw > test.log", does: "one attempt of one stage, as a file" },
    { line: "pawl logs @last --stage play --file shots/home.png --raw > home.png", does: "a file that was kept" },
    { line: "pawl logs @last --stage fix --transcript", does: "every call of an agent, and how it was ruled on" },
  ],
  exits: [0, 1, 3, 130],
  formats: ["json"],
  async run(context) {
    refuseFollowing(context);
    const runtime = await context.open({ readOnly: true });
    const row = await runtime.find(context.given.text("run") ?? "");
    const story = beginStory(row.run);
    const printer = createPrinter(context, runtime, row.run);
    if (context.given.flag("follow")) return follow(context, runtime, row, story, printer);
    for await (const stored of readEvents(runtime, row.run, 0)) tell(story, stored);
    const wanted = story.attempts.filter((attempt) => matches(context, attempt));
    const shown = [];
    for (const attempt of wanted) if (await printer.print(attempt)) shown.push(attempt);
    if (shown.length === 0) refuseNothing(context, story, wanted);
    printer.end(row.run);
    return EXIT.succeeded;
  },
};

/** What is no log is stored when its attempt has ended. */
function refuseFollowing({ given }: Context): void {
  const wanted = given.flag("transcript") ? "--transcript" : given.text("file") === undefined ? null : "--file";
  if (wanted === null || !given.flag("follow")) return;
  const message = `${wanted} shows attempts that have ended: it cannot be followed.`;
  throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "logs", message });
}

async function follow(
  context: Context,
  runtime: Runtime,
  row: RunRow,
  story: RunStory,
  printer: Printer,
): Promise<ExitCode> {
  const stop = context.interrupts.untilInterrupted();
  const wants = (attempt: AttemptStory): boolean => matches(context, attempt);
  await followLogs(
    { runtime, run: row.run, story, wants, print: printer.part },
    AbortSignal.any([stop, context.out.gone]),
  );
  printer.end(row.run);
  return stop.aborted ? EXIT.interrupted : EXIT.succeeded;
}

function matches(context: Context, attempt: AttemptStory): boolean {
  const stage = context.given.text("stage");
  const number = context.given.count("attempt");
  if (number !== undefined && attempt.attempt !== number) return false;
  return (
    stage === undefined ||
    attempt.stage === stage ||
    attempt.stage.startsWith(`${stage}.`) ||
    attempt.stage.startsWith(`${stage}[`)
  );
}

/** An empty answer is never given for a question that was mistyped. */
function refuseNothing(context: Context, story: RunStory, wanted: readonly AttemptStory[]): void {
  const { run } = story;
  const stage = context.given.text("stage");
  if (wanted.length === 0 && stage !== undefined) {
    const stages = new Set(story.attempts.map((attempt) => attempt.stage));
    if (!stages.has(stage))
      throw pawlError(CLI_ERRORS, "CLI_STAGE_UNKNOWN", { run, stage, near: suggest(stage, stages) });
  }
  const number = context.given.count("attempt");
  const which = `${stage === undefined ? "" : ` of ${stage}`}${number === undefined ? "" : `, attempt ${number}`}`;
  const file = context.given.text("file");
  if (file !== undefined) throw pawlError(CLI_ERRORS, "CLI_KEPT_MISSING", { run, file: oneLine(file), which });
  throw pawlError(CLI_ERRORS, "CLI_LOG_MISSING", { run, which });
}

interface Printer {
  /** False: there is nothing to print of this attempt. */
  print(attempt: AttemptStory): Promise<boolean>;
  /** A further part of the log of an attempt. */
  part(attempt: AttemptStory, bytes: Uint8Array, isFirst: boolean): void;
  end(run: string): void;
}

function createPrinter(context: Context, runtime: Runtime, run: RunId): Printer {
  const { out } = context;
  const isRaw = context.given.flag("raw");
  const wanted = context.given.flag("transcript") ? ["transcript"] : namesOf(context.given.text("file"));
  const documents: object[] = [];
  const part = (attempt: AttemptStory, bytes: Uint8Array, isFirst: boolean): void => {
    if (out.format === "json") documents.push(logDocument(attempt, bytes));
    else if (isRaw) out.write(bytes);
    else out.write(`${isFirst ? `${headOf(attempt, out.paint)}\n` : ""}${linesOf(bytes)}`);
  };
  return {
    async print(attempt) {
      const bytes =
        wanted === null ? await bytesOf(runtime, run, attempt) : await artifactOf(runtime, attempt.artifacts, wanted);
      if (bytes === null || out.gone.aborted) return bytes !== null;
      part(attempt, bytes, true);
      return true;
    },
    part,
    end(ended) {
      if (out.format === "json") out.document({ run: ended, logs: documents });
    },
  };
}

/** A file that was kept, or else what the stage has stored by this name. */
function namesOf(path: string | undefined): readonly string[] | null {
  return path === undefined ? null : [`./${path.replace(/^\.\//, "")}`, path];
}

/** null: it has stored nothing of these names, or has not ended. */
async function artifactOf(
  runtime: Runtime,
  artifacts: AttemptStory["artifacts"],
  names: readonly string[],
): Promise<Uint8Array | null> {
  const [ref] = names.flatMap((name) =>
    artifacts !== undefined && Object.hasOwn(artifacts, name) ? [artifacts[name]] : [],
  );
  return ref === undefined ? null : runtime.log({ ...ref, dropped: 0 });
}

/** The stored log; before the attempt has ended, and after it was cut off, what is there of it. */
async function bytesOf(runtime: Runtime, run: RunId, attempt: AttemptStory): Promise<Uint8Array | null> {
  if (attempt.log !== undefined) return runtime.log(attempt.log);
  const live = await runtime.liveLog(run, attempt.stage, attempt.attempt);
  if (live === null) return null;
  const gap = live.gap === 0 ? "" : `\n[pawl: ${live.gap} bytes left out here]\n`;
  return Buffer.concat([live.head, Buffer.from(gap), live.tail]);
}

function logDocument({ stage, visit, attempt, state, log }: AttemptStory, bytes: Uint8Array): object {
  const text = new TextDecoder().decode(bytes);
  return { stage, visit, attempt, state, bytes: log?.bytes ?? bytes.length, dropped: log?.dropped ?? 0, text };
}

function headOf({ stage, visit, attempt, state, log }: AttemptStory, paint: Paint): string {
  const left = log === undefined || log.dropped === 0 ? "" : `, ${formatBytes(log.dropped)} left out`;
  const open = state === "running" ? ", still running" : "";
  return paint.bold(`==> ${oneLine(stage)}${visit > 1 ? ` visit ${visit}` : ""} attempt ${attempt}${left}${open} <==`);
}

function linesOf(bytes: Uint8Array): string {
  const text = logText(bytes);
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}`;
}
