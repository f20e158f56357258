/** Goes on with every run whose time has come, here, until each has ended or rests again. */
import type { RunId } from "../../base/ids.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { ParkedRun } from "../../runtime/waking/parked.ts";
import { EXIT, type ExitCode, exitOfRun } from "../exit-codes.ts";
import type { Context } from "../spec.ts";
import { oneLine } from "../views/event-line.ts";
import { formatTime } from "../views/text/format-time.ts";
import { admitToResume } from "./loops/admission.ts";

interface Woken {
  readonly run: RunId;
  readonly blueprint: string;
  readonly status: string;
  readonly reason: string | null;
  readonly until: number | null;
  readonly exit: ExitCode;
}

export async function resumeDue(context: Context, runtime: Runtime): Promise<ExitCode> {
  const { out } = context;
  const now = context.now();
  const due = await runtime.parked({ by: now });
  const [next] = await runtime.parked({ after: now, limit: 1 });
  const signal = context.interrupts.untilInterrupted();
  const woken = await Promise.all(due.map((each) => wake(context, runtime, each, signal)));
  if (signal.aborted) await runtime.drain();
  if (out.format !== "human") out.document({ woken, next: next ?? null });
  if (due.length === 0) out.line("no run has a time that has come");
  if (next !== undefined)
    out.line(`next: run ${next.run} of ${oneLine(next.blueprint)} at ${formatTime(next.until)} UTC: ${next.reason}`);
  if (signal.aborted) return EXIT.interrupted;
  return woken.reduce<ExitCode>((worst, { exit }) => (exit > worst ? exit : worst), EXIT.succeeded);
}

/** A run that somebody else has gone on with meanwhile is theirs. */
async function wake(
  context: Context,
  runtime: Runtime,
  { run, blueprint }: ParkedRun,
  signal: AbortSignal,
): Promise<Woken> {
  const { out, by } = context;
  const admission = admitToResume(context, runtime, run);
  const told = (status: string, reason: string | null, until: number | null, exit: ExitCode): Woken => {
    out.line(`run ${run} of ${oneLine(blueprint)} ${status}${reason === null ? "" : `: ${reason}`}`);
    return { run, blueprint, status, reason, until, exit };
  };
  try {
    if (!(await admission.enter(signal))) return told("waiting", null, null, EXIT.human);
    const handle = await runtime.wake(run, { by, signal });
    out.line(`run ${run} of ${oneLine(blueprint)} goes on`);
    signal.addEventListener("abort", () => void runtime.drain(), { once: true });
    const { status, reason, until } = await handle.ended;
    return told(status, reason, until, exitOfRun(status, reason));
  } catch (error) {
    if (signal.aborted) return told("waiting", null, null, EXIT.human);
    return told("not resumed", error instanceof Error ? error.message : String(error), null, EXIT.failed);
  } finally {
    await admission.leave();
  }
}
