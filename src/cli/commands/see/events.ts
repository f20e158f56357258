import type { RunId } from "../../../base/ids.ts";
import type { StoredEvent } from "../../../run/events.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { readEvents } from "../../runs/read-events.ts";
import { eventDocument } from "../../runs/run-writers.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderEventLine } from "../../views/event-line.ts";
import { formatTime } from "../../views/text/format-time.ts";

export const eventsCommand: CommandSpec = {
  name: "events",
  summary: "Print the journal of a run",
  details: [
    "Times are UTC. With --follow, events are printed as they become durable, whichever process writes them, until the run has ended.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: true }],
  options: [
    { kind: "flag", flags: "--follow", summary: "wait for more until the run has ended" },
    { kind: "count", flags: "--after <seq>", summary: "only events after this number", min: 0, default: 0 },
  ],
  examples: [
    { line: "pawl events @last", does: "the journal of the newest run" },
    { line: "pawl events r_4f --follow", does: "watch a run that another process hosts" },
    { line: "pawl events r_4f --after 120 --jsonl", does: "what is new, as lines of JSON" },
  ],
  exits: [0, 1, 3, 130],
  formats: ["json", "jsonl"],
  async run(context) {
    const runtime = await context.open({ readOnly: true });
    const row = await runtime.find(context.given.text("run") ?? "");
    const after = context.given.count("after") ?? 0;
    if (context.given.flag("follow")) return follow(context, runtime, row.run, after);
    const documents: object[] = [];
    for await (const stored of readEvents(runtime, row.run, after)) {
      if (context.out.gone.aborted) break;
      if (context.out.format === "json") documents.push({ seq: stored.seq, hash: stored.hash, event: stored.event });
      else write(context, row.run, stored);
    }
    if (context.out.format === "json") context.out.document({ run: row.run, events: documents });
    if (context.out.format === "jsonl") await end(context, runtime, row.run);
    return EXIT.succeeded;
  },
};

async function follow(context: Context, runtime: Runtime, run: RunId, after: number): Promise<ExitCode> {
  const stop = context.interrupts.untilInterrupted();
  const documents: object[] = [];
  for await (const stored of runtime.follow(run, after, AbortSignal.any([stop, context.out.gone]))) {
    if (context.out.format === "json") documents.push({ seq: stored.seq, hash: stored.hash, event: stored.event });
    else write(context, run, stored);
  }
  if (context.out.format === "json") context.out.document({ run, events: documents });
  if (context.out.format === "jsonl") await end(context, runtime, run);
  return stop.aborted ? EXIT.interrupted : EXIT.succeeded;
}

function write(context: Context, run: RunId, stored: StoredEvent): void {
  const { out } = context;
  if (out.format === "jsonl") out.document(eventDocument(run, stored));
  else
    out.line(
      `${String(stored.seq).padStart(5)}  ${out.paint.dim(formatTime(stored.event.at))}  ${renderEventLine(stored.event, out.paint)}`,
    );
}

/** The last line of `--jsonl`: how the run stands. */
async function end(context: Context, runtime: Runtime, run: RunId): Promise<void> {
  const row = await runtime.find(run);
  context.out.document({ kind: "end", run, status: row.status, reason: row.reason, events: row.events });
}
