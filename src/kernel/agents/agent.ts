/**
 * An agent works alone in the workspace of the run, behind the wall of its stage. What it wants to do is ruled on call by call; what it
 * has changed is judged by the same rules afterwards, whatever it was asked before. Its end is data like that of any process.
 */
import { effectKey } from "../../base/ids.ts";
import type { Plan } from "../../plan/plan.ts";
import { needsTree } from "../../plan/walls.ts";
import type { AgentAccess } from "../../ports/agents/agent-access.ts";
import type { AgentBackend, AgentReport, AgentTask } from "../../ports/agents/agent-backend.ts";
import type { AgentHome } from "../../ports/agents/agent-homes.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { ModelDoor } from "../../ports/models/model-access.ts";
import type { Checkout, Workspace } from "../../ports/workspaces.ts";
import type { Fact } from "../../run/events.ts";
import type { Landing } from "../aftermath.ts";
import { createDeadline } from "../control/deadline.ts";
import type { Halt } from "../control/halt.ts";
import { isOver } from "../control/heed.ts";
import { inTimeBox, timeLeft } from "../control/time-box.ts";
import { type Around, type Finished, type Flight, failure, type Of } from "../flight.ts";
import { type Modelled, nothingSpent, withModels } from "../models.ts";
import { canWrite, placeOf } from "../place.ts";
import { changeProblem } from "./changed-paths.ts";
import { finishedBy } from "./outcome.ts";
import { answerSchema, promptOf, systemOf } from "./prompt.ts";
import { type Court, type CourtParts, createCourt } from "./ruling.ts";
import { givenTo, patchFor } from "./told.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

/** Name of the artifact that all it said and was told is kept as; no output of a stage can have it. */
const TRANSCRIPT = "transcript";

type AgentFlight = Flight & { readonly effect: Of<"agent">; readonly around: Around };

export async function performAgent(plan: Plan, flight: AgentFlight, ports: KernelPorts, halt: Halt): Promise<Landing> {
  const { run, stage, member, attempt, tree, effect } = flight;
  const backend = ports.agents?.backends.get(effect.stage.agent.use);
  if (ports.agents === undefined || backend === undefined)
    return refused(flight, `there is no agent "${effect.stage.agent.use}" in this process: nothing was started`);
  const place = placeOf(plan, { run, member, tree, leaf: effect.stage });
  if (place === null && needsTree(plan)) return refused(flight, "the run has no tree to work in: nothing was started");
  const clear = (): Promise<void> => ports.executor.forget({ run, stage, attempt });
  const session = createSession(plan, flight, { backend, access: ports.agents, ports, halt });
  if (place === null || tree === null) return { fact: await session.land(await session.work(null)), clear };
  const label = { stage, attempt, at: ports.clock.now() };
  const { clock } = ports;
  const workspace = await inTimeBox({ timeoutMs: timeOf(flight), clock, halt }, "spawn_error", (signal) =>
    ports.workspaces.enter(place, tree, label, signal),
  );
  if ("refusal" in workspace) return endedWith(flight, workspace.refusal);
  const worked = await session.work(workspace.value);
  const kept = canWrite(effect.stage) ? await session.keep(workspace.value, tree, worked) : worked;
  const clearAll = async (): Promise<void> => {
    const remove = (signal: AbortSignal): Promise<void> => workspace.value.remove(label, signal);
    await Promise.all([clear(), inTimeBox({ timeoutMs: 0, clock, halt }, "killed", remove)]);
  };
  return { fact: await session.land(kept), clear: place.member === null ? clear : clearAll };
}

function refused(flight: AgentFlight, error: string): Landing {
  return endedWith(flight, failure("spawn_error", error));
}

/** It ended before it began. */
function endedWith({ stage, attempt, effect }: AgentFlight, end: Finished): Landing {
  return { fact: { type: "stage.finished", stage, attempt, ...end, ...nothingSpent(effect.stage) } };
}

interface Parts {
  readonly backend: AgentBackend;
  readonly access: AgentAccess;
  readonly ports: KernelPorts;
  readonly halt: Halt;
}

interface Session {
  work(place: Checkout | null): Promise<Modelled>;
  /** What it has left is saved; what policy does not allow there is the end of the attempt. */
  keep(workspace: Workspace, tree: string, worked: Modelled): Promise<Modelled>;
  /** How the attempt ended, as a fact. */
  land(worked: Modelled): Promise<Fact>;
}

/** One attempt of an agent. */
function createSession(plan: Plan, flight: AgentFlight, parts: Parts): Session {
  const { run, stage, attempt, effect, deferral, around } = flight;
  const { access, ports, halt } = parts;
  const court = createCourt({
    plan,
    policy: ports.policy,
    toolset: effect.stage.agent.toolset,
    allowed: deferral?.allowed === true ? deferral : null,
    denied: deniedIn(deferral),
    isOver: () => isOver(run, ports.killSwitch, halt),
  });
  const transcript = createTranscript(access.redact);
  const startedAt = ports.clock.now();
  let report: AgentReport | null = null;
  return {
    work: (place) =>
      withModels(flight, effect, ports, async (door) => {
        const deadline = createDeadline(timeOf(flight), ports.clock, halt);
        const home = await access.homes.open(run, stage, flight.visit);
        const task = await taskFor(flight, { place, door, home }, parts);
        const talked = await converse(task, home, { court, transcript, ...parts }, deadline.halt.signal()).finally(
          deadline.clear,
        );
        report = deadline.isLate() ? lateWith(talked, door) : talked;
        const finished = finishedBy(effect.stage, report, deadline.isLate());
        const shared = around.sessions.some((session) => session === finished.session);
        const bytes = transcript.bytes();
        const told = bytes === null ? {} : { [TRANSCRIPT]: await ports.artifacts.put(bytes) };
        const artifacts = { ...report.process?.artifacts, ...told };
        const end = shared
          ? failure("denied", "the agent shares the session of another stage: nothing it says counts")
          : {};
        return { ...finished, ...end, ...(Object.keys(artifacts).length === 0 ? {} : { artifacts }) };
      }),
    async keep(workspace, tree, worked) {
      const { finished } = worked;
      const label = { stage, attempt, at: ports.clock.now() };
      const { clock } = ports;
      const left = { timeoutMs: timeLeft(timeOf(flight), startedAt, clock), clock, halt };
      const saved = await inTimeBox(left, "invalid_output", (signal) => workspace.save(label, signal));
      if ("refusal" in saved) return { ...worked, finished: { ...finished, ...saved.refusal } };
      const problem = await changeProblem(tree, saved.value, workspace.project, court, ports.trees);
      if (problem !== null)
        return { ...worked, finished: { ...finished, ...failure("denied", problem), output: undefined } };
      const content = plan.limits.stagnation === undefined ? undefined : workspace.content();
      return { ...worked, finished: { ...finished, tree: saved.value, content } };
    },
    async land({ finished, parkedUntil }) {
      const done: Fact = { type: "stage.finished", stage, attempt, ...finished };
      if (report === null || finished.cause !== "agent") return done;
      const { outcome } = report as AgentReport;
      if (outcome.kind === "deferred") {
        const asked = court.deferred();
        return asked === null ? done : deferredFact(flight, finished, asked, ports.clock.now() - startedAt);
      }
      const isLimited = outcome.kind === "failed" && outcome.why === "rate_limited";
      return isLimited ? parkedFact(flight, finished, parkedUntil) : done;
    },
  };
}

/** Its time was over while it waited for a provider that refuses it for now: that is no fault of its own. */
function lateWith(report: AgentReport, door: ModelDoor | null): AgentReport {
  const refusal = door?.lastRefusal() ?? null;
  if (report.outcome.kind !== "cancelled" || refusal?.why !== "rate_limited") return report;
  return { ...report, outcome: { kind: "failed", why: "rate_limited", error: refusal.error } };
}

function deniedIn(deferral: AgentFlight["deferral"]): CourtParts["denied"] {
  return deferral === null || deferral.denied === null ? null : { digest: deferral.digest, why: deferral.denied };
}

/** What goes on from an attempt has what that has left of its time. */
function timeOf({ effect, deferral }: AgentFlight): number {
  return Math.max(1, effect.stage.timeoutMs - (deferral?.tookMs ?? 0));
}

interface Seat {
  readonly place: Checkout | null;
  readonly door: ModelDoor | null;
  readonly home: AgentHome;
}

async function taskFor(flight: AgentFlight, { place, door, home }: Seat, parts: Parts): Promise<AgentTask> {
  const { run, stage, visit, attempt, effect, deferral, around } = flight;
  const { role, model, maxTurns, outcomes, schema, toolset } = effect.stage.agent;
  const { backend, access, ports } = parts;
  const { resume, structuredOutput } = backend.capabilities;
  const session = resume ? home.session : null;
  const goesOn = session === null ? null : deferral === null ? "again" : "deferred";
  const { cwd, wall, stallMs, outputs } = effect.stage;
  const { inputs, strip } = effect;
  const { folder, project, mounts } = place ?? { folder: null, project: "", mounts: [] };
  const prompt = promptOf({
    role,
    goal: effect.goal,
    inputs: await givenTo(effect, ports.artifacts),
    patch: await patchFor(flight, access),
    outcomes,
    schema,
    mustSayHow: !structuredOutput,
    goesOn,
    denied: deferral?.denied ?? null,
  });
  return {
    prompt,
    system: systemOf(role, effect.stage.agent.context?.text),
    model,
    maxTurns,
    schema: answerSchema(outcomes, schema),
    toolset,
    settings: effect.settings,
    session,
    goesOn,
    home: home.folder,
    round: around.round,
    lastError: around.lastError,
    process: {
      ...{ run, stage, attempt, key: effectKey(run, stage, visit), folder, project, mounts, cwd, wall },
      ...{ inputs, strip, outputs, stallMs, timeoutMs: timeOf(flight) },
    },
    door,
  };
}

interface Talk extends Parts {
  readonly court: Court;
  readonly transcript: Transcript;
}

/** The agent works; its session is kept as soon as it is known, for whoever goes on after a crash. */
async function converse(
  task: AgentTask,
  home: AgentHome,
  { backend, court, transcript, ports, halt }: Talk,
  signal: AbortSignal,
): Promise<AgentReport> {
  let kept: Promise<void> = Promise.resolve();
  const keep = (session: string | null): void => {
    kept = kept.then(() => home.keep(session));
  };
  // Much may have happened while the folder was made: a signal that has ended starts nothing.
  isOver(task.process.run, ports.killSwitch, halt);
  const report = await backend.run(
    task,
    {
      onEvent(event) {
        transcript.event(event, ports.clock.now());
        if (event.type === "session") keep(event.session);
      },
      async decide(call) {
        const ruling = court.rule(call);
        transcript.ruling(call, ruling, ports.clock.now());
        return ruling;
      },
    },
    signal,
  );
  const { outcome, session } = report;
  // What has grown too long to go on with is not gone on with.
  const isSpent = outcome.kind === "failed" && outcome.why === "context_overflow";
  keep(isSpent ? null : session);
  await kept;
  return report;
}

type Asked = NonNullable<ReturnType<Court["deferred"]>>;

function deferredFact({ stage, attempt }: AgentFlight, finished: Finished, asked: Asked, tookMs: number): Fact {
  const { session, log, artifacts, usage, turns, used, tree } = finished;
  const spent = { session, log, artifacts, usage, turns, used, tree };
  return { type: "stage.deferred", stage, attempt, ...asked, tookMs, ...spent };
}

function parkedFact({ stage, attempt, effect }: AgentFlight, finished: Finished, until: number | null): Fact {
  const { log, usage, turns, used, tree, error = "" } = finished;
  const target = `quota:${effect.stage.agent.use}`;
  const spent = { log, usage, turns, used, tree };
  return { type: "stage.parked", stage, attempt, reason: "awaiting_quota", until, why: error, target, ...spent };
}
