import { parseDuration } from "../../../base/duration.ts";
import { pawlError } from "../../../base/errors.ts";
import type { News } from "../../../runtime/serve/news.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { newsLine } from "../../views/loops/serve-news.ts";

export const serveCommand: CommandSpec = {
  name: "serve",
  summary: "Run the loops of pawl.yaml when they are due, and go on with what rests",
  details: [
    "Fires each time of a loop once, also when several such processes serve one project; queues a run for it in the lane of the loop; and hosts what the lanes let begin.",
    "Runs that rest until a time go on when it has come, first a single one and the others when that got through; questions that nobody answers expire. A run that was answered resumes at once, wherever the answer came from. A change of pawl.yaml is seen within a minute.",
    "Loops with `webhook` listen at http://127.0.0.1:PORT/hooks/LOOP. Nothing that says `danger_full_access` begins here.",
    "Ctrl-C begins nothing more, ends what is under way and leaves every run resumable; whoever serves next goes on with them. Ctrl-C again leaves at once.",
  ],
  arguments: [],
  options: [
    { kind: "flag", flags: "--once", summary: "fire what is due now, run it, and leave" },
    { kind: "count", flags: "--port <port>", summary: "port of webhooks on loopback (any that is free)", min: 1 },
    {
      ...{ kind: "text", flags: "--lease <duration>", default: "30s" },
      summary: "for so long a process that stands still keeps its runs; then another ends it and goes on",
    },
    {
      ...{ kind: "flag", flags: "--no-auto-resume" },
      summary: "leave runs resting whose quota or budget is there again; so does auto_resume: false in pawl.yaml",
    },
  ],
  examples: [
    { line: "pawl serve", does: "serve until Ctrl-C" },
    { line: "pawl serve --once", does: "from a timer of the system" },
    { line: "pawl serve --jsonl | tee -a serve.jsonl", does: "a line of JSON for whatever happens" },
  ],
  exits: [0, 1, 3, 130],
  formats: ["json", "jsonl"],
  async run(context) {
    const { out, given, by } = context;
    const { port, leaseMs } = readOptions(context);
    const all: News[] = [];
    const tell = (news: News): void => {
      if (out.format === "jsonl") out.document(news);
      else if (out.format === "json") all.push(news);
      else out.line(newsLine(news, out.paint));
    };
    const { openServe } = await import("../../../runtime/wire.ts");
    const serve = await openServe(context.root, { port, leaseMs, autoResume: !given.flag("no-auto-resume"), by, tell });
    const stop = watchInterrupts(context, serve.stop);
    try {
      await serve.start();
      if (given.flag("once")) await Promise.race([serve.once(), stop.asked]);
      else await stop.asked;
    } finally {
      await serve.stop();
      stop.release();
    }
    if (out.format === "json") out.document({ news: all });
    return stop.isAsked() && given.flag("once") ? EXIT.interrupted : EXIT.succeeded;
  },
};

function readOptions({ given }: Context): { readonly port: number; readonly leaseMs: number } {
  const port = given.count("port") ?? 0;
  const leaseMs = parseDuration(given.text("lease") ?? "");
  if (port > 65_535) throw usage("--port is at most 65535.");
  if (leaseMs === undefined || leaseMs < 1000 || leaseMs > 3_600_000)
    throw usage("--lease takes a duration from 1s to 1h, such as 30s.");
  return { port, leaseMs };
}

function usage(message: string): Error {
  return pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "serve", message });
}

/** Once: nothing more begins, runs stay resumable. Twice: at once. */
function watchInterrupts({ interrupts, out }: Context, stop: () => Promise<void>) {
  let isAsked = false;
  let ask: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  out.gone.addEventListener("abort", () => ask(), { once: true });
  const release = interrupts.handle((_kind, times) => {
    if (times > 1) interrupts.exit(EXIT.interrupted);
    isAsked = true;
    out.note("stopping; runs stay resumable (Ctrl-C again to leave at once)");
    // Before anybody waits for what is under way: it is ended now.
    stop().catch(() => undefined);
    ask();
  });
  return { asked, release, isAsked: () => isAsked };
}
