import { pawlError } from "../../base/errors.ts";
import { formatBytes } from "../../base/size.ts";
import type { RunRow } from "../../ports/run-index.ts";
import type { LogRef } from "../../run/events.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { CLI_ERRORS } from "../errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { suggest } from "../input/suggest.ts";
import type { Paint } from "../output.ts";
import { readEvents } from "../runs/read-events.ts";
import type { CommandSpec, Context } from "../spec.ts";
import { oneLine } from "../views/event-line.ts";
import { logText } from "../views/log-text.ts";
import { type AttemptStory, beginStory, type RunStory, tell } from "../views/run-story.ts";

export const logsCommand: CommandSpec = {
  name: "logs",
  summary: "Print what the stages of a run wrote",
  details: [
    "Standard output and error as they came, secrets masked. Characters that would steer a terminal are shown as escapes; --raw prints the stored bytes.",
    "With --follow, the log of each attempt is printed when the attempt has ended.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [
    { kind: "text", flags: "--stage <stage>", summary: "only this stage, and the members of it when it is a group" },
    { kind: "count", flags: "--attempt <n>", summary: "only this attempt", min: 1 },
    { kind: "flag", flags: "--follow", summary: "wait for more until the run has ended" },
    { kind: "flag", flags: "--raw", summary: "the stored bytes and nothing else" },
  ],
  examples: [
    { line: "pawl logs @last", does: "everything the newest run wrote" },
    { line: "pawl logs r_4f --stage test --attempt 2", does: "one attempt of one stage" },
    { line: "pawl logs r_4f --stage test --raw > test.log", does: "as a file" },
  ],
  exits: [0, 1, 3, 130],
  formats: ["json"],
  async run(context) {
    const runtime = await context.open({ readOnly: true });
    const row = await runtime.find(context.given.text("run") ?? "");
    const story = beginStory(row.run);
    const printer = createPrinter(context, runtime);
    if (context.given.flag("follow")) return follow(context, runtime, row, story, printer);
    for await (const stored of readEvents(runtime, row.run, 0)) tell(story, stored);
    const wanted = story.attempts.filter((attempt) => matches(context, attempt));
    refuseNothing(context, story, wanted);
    for (const attempt of wanted) await printer.print(attempt);
    printer.end(row.run);
    return EXIT.succeeded;
  },
};

async function follow(
  context: Context,
  runtime: Runtime,
  row: RunRow,
  story: RunStory,
  printer: Printer,
): Promise<ExitCode> {
  const stop = context.interrupts.untilInterrupted();
  for await (const stored of runtime.follow(row.run, 0, AbortSignal.any([stop, context.out.gone]))) {
    tell(story, stored);
    if (stored.event.type !== "stage.finished") continue;
    const { stage } = stored.event;
    const attempt = story.attempts.findLast((each) => each.stage === stage);
    if (attempt !== undefined && matches(context, attempt)) await printer.print(attempt);
  }
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
  if (wanted.some((attempt) => attempt.log !== undefined)) return;
  const number = context.given.count("attempt");
  const which = `${stage === undefined ? "" : ` of ${stage}`}${number === undefined ? "" : `, attempt ${number}`}`;
  throw pawlError(CLI_ERRORS, "CLI_LOG_MISSING", { run, which });
}

interface Printer {
  print(attempt: AttemptStory): Promise<void>;
  end(run: string): void;
}

function createPrinter(context: Context, runtime: Runtime): Printer {
  const { out } = context;
  const isRaw = context.given.flag("raw");
  const documents: object[] = [];
  return {
    async print(attempt) {
      const { log } = attempt;
      if (log === undefined || out.gone.aborted) return;
      const bytes = await runtime.log(log);
      if (out.format === "json") documents.push(logDocument(attempt, log, bytes));
      else out.write(isRaw ? bytes : renderLog(attempt, log, bytes, out.paint));
    },
    end(run) {
      if (out.format === "json") out.document({ run, logs: documents });
    },
  };
}

function logDocument({ stage, visit, attempt }: AttemptStory, log: LogRef, bytes: Uint8Array): object {
  return { stage, visit, attempt, bytes: log.bytes, dropped: log.dropped, text: new TextDecoder().decode(bytes) };
}

function renderLog({ stage, visit, attempt }: AttemptStory, log: LogRef, bytes: Uint8Array, paint: Paint): string {
  const left = log.dropped === 0 ? "" : `, ${formatBytes(log.dropped)} left out`;
  const head = paint.bold(`==> ${oneLine(stage)}${visit > 1 ? ` visit ${visit}` : ""} attempt ${attempt}${left} <==`);
  const text = logText(bytes);
  return `${head}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}`;
}
