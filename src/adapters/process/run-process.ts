/** One process from its start to its end, with everything that was seen of it. */
import { constants } from "node:os";
import { scarcityIn } from "../../base/scarcity.ts";
import type { ProcessRequest } from "../../ports/executor.ts";
import type { RefusedHost } from "../../run/events.ts";
import { classify, KILLED, lastLine, type Verdict } from "./classify.ts";
import type { Heart } from "./heart.ts";
import type { Inputs } from "./inputs.ts";
import { createFirstBytes } from "./output/byte-buffers.ts";
import { createLines, type Log } from "./output/capture.ts";
import { createLiveOutput } from "./output/live-output.ts";
import type { LiveLog } from "./output/live-writer.ts";
import type { OutputCapture } from "./output/output-capture.ts";
import type { Gathered } from "./report.ts";
import { reasonOf, refuse, startProcess } from "./spawn.ts";
import { prepareStart, type Start, type Surroundings } from "./start.ts";
import { supervise, type Watched } from "./supervise.ts";
import { createAccount } from "./watch/account.ts";
import { type Group, type GroupFacts, type Groups, HARD_BELOW } from "./watch/group.ts";
import { countOomKills } from "./watch/proc.ts";

export interface Host extends Surroundings {
  readonly redact: (text: string) => string;
  readonly graceMs: number;
  readonly readyMs: number;
  readonly groups: Groups;
  /** How often the system had killed for want of memory a moment ago. */
  readonly oomKillsBefore: () => number | undefined;
}

export interface Session {
  readonly inputs: Inputs;
  readonly log: Log;
  readonly liveLog: LiveLog;
  readonly output: OutputCapture;
  readonly heart: Heart;
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
}

const NOT_STARTED = { code: null, signal: null, folder: null };
const FIRST_SIGNAL = 129;
const LAST_SIGNAL = 192;
/** What a shell or bubblewrap says when it cannot become the program: `sh: 1: exec: name: not found`. */
const LAUNCH_FAILED = /^[^:\n]*(?:: (?:line )?\d+)?: exec(?:vp)?:? ([^\n]+)\n?$/;
const LAUNCH_CODES: ReadonlySet<number | null> = new Set([126, 127]);
const SAID: readonly (readonly [RegExp, string])[] = [
  [/: (not found|No such file or directory)$/, "ENOENT"],
  [/: Permission denied$/, "EACCES"],
  [/: Argument list too long$/, "E2BIG"],
  [/: Exec format error$/, "ENOEXEC"],
];
const KEPT = 2048;

export async function runProcess(host: Host, request: ProcessRequest, session: Session): Promise<Gathered> {
  const { inputs, signal } = session;
  if (signal.aborted)
    return { ...NOT_STARTED, verdict: { cause: "killed", what: "was not started: the run was ended" } };
  if (inputs.clash !== undefined)
    return { ...NOT_STARTED, verdict: refuse(`two inputs are called ${inputs.clash}`).refused };
  const { memoryBytes, processes } = request.wall.resources;
  const few = processes !== null && processes < HARD_BELOW ? processes : null;
  const group =
    memoryBytes === null && few === null ? null : host.groups.make(request.key, { memoryBytes, processes: few });
  try {
    const start = await prepareStart(host, request, inputs, { hasGroup: group !== null, processes: few });
    if ("refused" in start) return { ...NOT_STARTED, verdict: start.refused };
    return await closeAfter(start, runStarted(host, request, session, start, group));
  } finally {
    await group?.remove();
  }
}

async function closeAfter({ enclosure }: Start, work: Promise<Gathered>): Promise<Gathered> {
  let refused: readonly RefusedHost[] = [];
  try {
    await work;
  } finally {
    if (enclosure !== null) refused = await enclosure.close();
  }
  return { ...(await work), refused };
}

async function runStarted(
  host: Host,
  request: ProcessRequest,
  session: Session,
  start: Start,
  group: Group | null,
): Promise<Gathered> {
  const killsBefore = host.oomKillsBefore();
  const account = createAccount();
  const started = await startProcess(start, request.dialogue !== undefined);
  if ("refused" in started) return { ...NOT_STARTED, verdict: started.refused };
  session.heart.begin(started.pid);
  const recorder = createRecorder(host, session);
  const watched = await supervise(started.child, started.pid, {
    key: request.key,
    timeoutMs: request.timeoutMs,
    stallMs: request.stallMs,
    graceMs: host.graceMs,
    readyMs: host.readyMs,
    signal: session.signal,
    limits: request.wall.resources,
    group,
    dialogue: request.dialogue,
    onChunk: recorder.write,
    onSample: (sample) => {
      account.add(sample);
      session.heart.feel(sample, recorder.bytes());
    },
  });
  recorder.end(watched.survivors);
  const facts = group?.facts() ?? null;
  const exit = start.enclosure === null ? watched : asSeenInside(watched);
  const verdict = notBegun(watched, start, recorder.beginning()) ?? verdictOn(exit, request, facts, killsBefore);
  const used = account.settle(recorder.bytes(), facts);
  return { code: exit.code, signal: exit.signal, folder: start.folder, verdict, used };
}

interface Recorder {
  write(stream: "stdout" | "stderr", chunk: Buffer): void;
  end(survivors: readonly number[]): void;
  bytes(): number;
  /** The first of it, in the order it came. */
  beginning(): Buffer;
}

/** Gives what a process writes to everyone who keeps or shows it. */
function createRecorder(host: Host, { log, liveLog, output, heart, onOutput }: Session): Recorder {
  const first = createFirstBytes(KEPT);
  let bytes = 0;
  const live = createLiveOutput(host.redact, (text) => {
    heart.show(text);
    onOutput(text);
  });
  const onLines = (lines: Uint8Array): void => {
    log.write(lines);
    liveLog.write(lines);
    live.write(lines);
  };
  const lines = { stdout: createLines(onLines), stderr: createLines(onLines) };
  return {
    write: (stream, chunk) => {
      bytes += chunk.length;
      first.write(chunk);
      lines[stream].write(chunk);
      if (stream === "stdout") output.write(chunk);
    },
    end: (survivors) => {
      lines.stdout.end();
      lines.stderr.end();
      if (survivors.length > 0)
        onLines(Buffer.from(`\n[pawl: could not end these processes: ${survivors.join(", ")}]\n`));
      live.end();
    },
    bytes: () => bytes,
    beginning: () => first.bytes(),
  };
}

/** A wall passes on the death of the program by a signal as a code. */
function asSeenInside(watched: Watched): Watched {
  const { code } = watched;
  if (code === null || code < FIRST_SIGNAL || code > LAST_SIGNAL) return watched;
  const number = code - FIRST_SIGNAL + 1;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { ...watched, code: null, signal: name ?? `signal ${number}` };
}

/** Why the program never ran, although something was started for it. */
function notBegun({ code, ending, hasBegun }: Watched, start: Start, said: Buffer): Verdict | undefined {
  if (ending !== null || !start.hasGate) return undefined;
  if (!hasBegun) {
    const why = lastLine(said);
    const scarce = scarcityIn(why);
    if (scarce !== undefined) return { cause: "resource", what: `could not be started: ${scarce}` };
    return refuse(why === "" ? `the sandbox could not be built (code ${code})` : why).refused;
  }
  const failed = LAUNCH_CODES.has(code) ? LAUNCH_FAILED.exec(said.toString("utf8")) : null;
  return failed === null ? undefined : refuse(reasonSaid(failed[1] as string)).refused;
}

/** In our words where we know them: shells differ in theirs. */
function reasonSaid(message: string): string {
  const code = SAID.find(([pattern]) => pattern.test(message))?.[1];
  return code === undefined ? message : reasonOf(code);
}

function verdictOn(
  { code, signal, ending }: Watched,
  request: ProcessRequest,
  facts: GroupFacts | null,
  killsBefore: number | undefined,
): Verdict {
  const { fileBytes } = request.wall.resources;
  const isKilled = signal === "SIGKILL" || code === KILLED;
  const kills = isKilled ? countOomKills() : undefined;
  const someone = kills !== undefined && killsBefore !== undefined && kills > killsBefore ? "someone" : "none";
  const oomKilled = facts !== null && facts.oomKills > 0 ? "own" : someone;
  return classify({ code, signal, ending, oomKilled, fileBytes });
}
