/** What happens while loops are served, a line each. Names come from files: they are shown, never obeyed. */
import type { News } from "../../../runtime/serve/news.ts";
import type { Paint } from "../../output.ts";
import { oneLine } from "../event-line.ts";
import { formatTime } from "../text/format-time.ts";

export function newsLine(news: News, paint: Paint): string {
  return `${paint.dim(formatTime(news.at))}  ${textOf(news, paint)}`;
}

function textOf(news: News, paint: Paint): string {
  if (news.type.startsWith("serve.")) return serveText(news as ServeNews, paint);
  if (news.type.startsWith("run.") || news.type === "host.ended") return runText(news as RunNews, paint);
  return loopText(news as LoopNews, paint);
}

type Of<T extends News["type"]> = Extract<News, { type: T }>;
type ServeNews = Of<"serve.ready" | "serve.reloaded" | "serve.merged" | "serve.stopped" | "serve.problem">;
type RunNews = Of<
  "run.began" | "run.ended" | "run.put-off" | "run.lost" | "run.answered" | "run.refused" | "run.woken" | "host.ended"
>;
type LoopNews = Exclude<News, ServeNews | RunNews>;

function serveText(news: ServeNews, paint: Paint): string {
  switch (news.type) {
    case "serve.ready": {
      const next = news.next === null ? "" : `; next: ${oneLine(news.next.loop)} at ${formatTime(news.next.at)} UTC`;
      return `serving ${counted(news.loops)}${next}${hooksAt(news.url)}`;
    }
    case "serve.reloaded":
      return `pawl.yaml was read again: ${counted(news.loops)}${hooksAt(news.url)}`;
    case "serve.merged":
      return `changes that waited for a branch were judged: ${news.changes}; see pawl merge`;
    case "serve.stopped":
      return "stopped";
    case "serve.problem":
      return paint.red(`trouble: ${coded(news)}`);
  }
}

function counted(loops: number): string {
  return `${loops} ${loops === 1 ? "loop" : "loops"}`;
}

function hooksAt(url: string | null): string {
  return url === null ? "" : `; webhooks at ${url}/hooks/LOOP`;
}

function runText(news: RunNews, paint: Paint): string {
  switch (news.type) {
    case "run.began":
      return `${oneLine(news.loop)}: run ${news.run} ${news.again ? "goes on" : "begins"}`;
    case "run.ended": {
      const text = `${oneLine(news.loop)}: run ${news.run} ${news.status}${news.reason === null ? "" : ` (${news.reason})`}`;
      return news.status === "succeeded" ? paint.green(text) : paint.yellow(text);
    }
    case "run.put-off":
      return `${oneLine(news.loop)}: not yet: ${oneLine(news.why)}`;
    case "run.lost":
      return `${oneLine(news.loop)}: run ${news.run} belongs to another process now`;
    case "run.answered":
      return `${oneLine(news.loop)}: run ${news.run} was answered and is queued`;
    case "run.refused":
      return paint.red(`${oneLine(news.loop)}: run ${news.run} was answered and cannot resume: ${coded(news)}`);
    case "run.woken":
      return `run ${news.run} of ${oneLine(news.blueprint)} goes on: its time has come`;
    case "host.ended":
      return paint.yellow(`process ${news.pid} stood still and was ended; ${endedText(news.run)}`);
  }
}

function endedText(run: string | null): string {
  return run === null ? "it kept everybody from writing" : `run ${run} is taken over`;
}

function loopText(news: LoopNews, paint: Paint): string {
  switch (news.type) {
    case "slot.fired":
      return `${oneLine(news.loop)}: due (${oneLine(news.slot)}), queued as run ${news.run}`;
    case "slot.waiting":
      return `${oneLine(news.loop)}: ${oneLine(news.slot)} waits for the run that is open`;
    case "slot.missed":
      return `${oneLine(news.loop)}: times from ${formatTime(news.from)} to ${formatTime(news.to)} UTC were missed and become ${news.becomes}`;
    case "loop.rearmed":
      return `${oneLine(news.loop)}: the clock was put back; next at ${formatTime(news.next)} UTC`;
    case "loop.failed":
      return paint.red(`${oneLine(news.loop)}: ${coded(news)}`);
    case "delivery.refused":
      return paint.yellow(`${oneLine(news.loop ?? "webhook")}: a delivery was refused: ${oneLine(news.why)}`);
  }
}

function coded({ code, message }: { readonly code: string | null; readonly message: string }): string {
  return `${oneLine(message)}${code === null ? "" : ` [${code}]`}`;
}
