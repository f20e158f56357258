/**
 * runAgent: one bounded run of an agent. Guard of delegation → budget → models → journal → toolbox → loop; then, whatever has
 * happened and on no signal that could be cancelled, the journal is closed and the budget is told, once each.
 */
import { isPawlError, type PawlError, pawlError } from "../base/errors.ts";
import type { RunId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import { HARNESS_ERRORS } from "../ports/errors/harness-errors.ts";
import {
  type Agent,
  type AgentLimits,
  type AgentResult,
  type AgentUsage,
  type ModelChoice,
  NOTHING_USED,
} from "./agent.ts";
import { askBudget } from "./ask-budget.ts";
import { checkAgent } from "./check-agent.ts";
import { newRunId, policyFrom, withDefaults } from "./defaults.ts";
import { targetName } from "./delegate/delegates.ts";
import {
  currentLineage,
  DISPATCH_LIMITS,
  type DispatchLimits,
  guardDispatch,
  type Lineage,
  withLineage,
} from "./delegate/lineage.ts";
import {
  ATTACHMENT_BOUNDS,
  type AttachmentBounds,
  type Attachments,
  createAttachments,
} from "./deliver/attachments.ts";
import { deliver } from "./deliver/deliver.ts";
import { stageFiles } from "./deliver/input-files.ts";
import { createHalt, type Halt } from "./halt.ts";
import { keepBeat } from "./journal/beat.ts";
import { type Chronicle, createChronicle } from "./journal/chronicle.ts";
import type { RecordOf } from "./journal/record.ts";
import { takeUp } from "./journal/take-up.ts";
import { heedCritic } from "./loop/critic.ts";
import { ruleOn } from "./loop/desk.ts";
import { failedEnding } from "./loop/endings.ts";
import { tellCall, tellHook } from "./loop/hooks.ts";
import { runTalks } from "./loop/phases.ts";
import type { Ending, Session } from "./loop/session.ts";
import { openModels } from "./loop/setting.ts";
import { createMeter, DEFAULT_LIMITS, type Meter, strictest } from "./meter.ts";
import { healthOf } from "./models/health.ts";
import { orLate } from "./patience.ts";
import type { AgentPolicy, AgentPorts, AgentRules, Target } from "./ports.ts";
import type { Tool, ToolDispatch, ToolFile } from "./tools/tool.ts";
import { COMPACT_RULES, type CompactRules } from "./transcript/compact.ts";
import { createWorkspace } from "./workspace.ts";

export interface RunAgentOptions {
  readonly prompt: string;
  /** What is given beside it wins over what it says. */
  readonly agent?: Agent;
  readonly model?: ModelChoice;
  readonly system?: string;
  readonly tools?: readonly Tool[];
  readonly schema?: JsonObject;
  /** The most it may take of each; what is not given has a default. */
  readonly budget?: Partial<AgentLimits>;
  /** Rules, or somebody who decides. Without it: only tools of low risk. */
  readonly policy?: AgentRules | AgentPolicy;
  readonly ports?: Partial<AgentPorts>;
  /** The workspace of its tools; without it, an empty folder that is gone afterwards. */
  readonly root?: string;
  /** Laid out below the workspace. */
  readonly files?: readonly ToolFile[];
  /** Whom the answer is delivered to. */
  readonly target?: Target;
  /** Cancels the run; with the reason "kill", kills it. A deadline is not a cancel: the run has its own time. */
  readonly signal?: AbortSignal;
  /** Of a new run; made up unless told. */
  readonly id?: RunId;
  /** Goes on with a run that was cut off, without repeating what it did. After its end, `prompt` goes on with the talk. */
  readonly resume?: RunId;
  /** With `resume`: the workspace is as it was when the run began, and the agent is told so. */
  readonly restored?: boolean;
  /** How much its tools may attach to its answer. */
  readonly attachments?: Partial<AttachmentBounds>;
  readonly dispatch?: Partial<DispatchLimits>;
  readonly compaction?: Partial<CompactRules>;
}

const MICRO = 1e6;

/** Outcomes are data; it rejects only for defects and for a journal that fails. */
export async function runAgent(options: RunAgentOptions): Promise<AgentResult> {
  const parent = currentLineage();
  const agent = agentOf(options);
  const runId = options.resume ?? options.id ?? newRunId();
  const refused = (status: AgentResult["status"], error: PawlError): AgentResult => ({
    ...{ runId, status, error, output: "", steps: [], usage: NOTHING_USED, failure: null, deferred: null },
  });
  const dispatch = guardDispatch(parent, agent.name);
  if (dispatch !== null) return refused(dispatch.status, dispatch.error);
  const unfit = checkAgent(agent, options);
  if (unfit !== null) return refused("failed", unfit);
  const ports = withDefaults(options.ports);
  const limits = limitsOf(agent, options, parent);
  const asked = { run: runId, agent: agent.name ?? null, parent: parent?.run ?? null, limits };
  const answer = await askBudget(ports, asked, callersOf(options, parent));
  if (!answer.ok) return refused(answer.status, answer.error);
  return held({ options, agent, runId, ports, limits, parent, refused });
}

interface Granted {
  readonly options: RunAgentOptions;
  readonly agent: Agent;
  readonly runId: RunId;
  readonly ports: AgentPorts;
  readonly limits: AgentLimits;
  readonly parent: Lineage | undefined;
  refused(status: AgentResult["status"], error: PawlError): AgentResult;
}

/** What was granted is settled once, however the run ends; and nobody else goes on with it meanwhile. */
async function held(granted: Granted): Promise<AgentResult> {
  const { runId, ports, refused } = granted;
  let used = (): AgentUsage => NOTHING_USED;
  try {
    const holder = await ports.journal.hold(runId);
    if (holder !== null)
      return refused("failed", pawlError(HARNESS_ERRORS, "HARNESS_RUN_HELD", { run: runId, holder }));
    try {
      return await live(granted, (meter) => {
        used = meter.used;
      });
    } finally {
      await ports.journal.release(runId);
    }
  } finally {
    await orLate(ports.budget.commit(runId, used()), ports.clock);
  }
}

async function live(granted: Granted, onMeter: (meter: Meter) => void): Promise<AgentResult> {
  const { options, agent, runId, ports, limits, parent } = granted;
  const past = options.resume === undefined && options.id === undefined ? [] : await ports.journal.read(runId);
  const chronicle = createChronicle(runId, past, agent.rules ?? "", ports);
  const critic = { judge: (): Promise<boolean> => Promise.resolve(false) };
  const halt = createHalt({
    ...{
      clock: ports.clock,
      wallMs: limits.wallMs,
      usedMs: chronicle.state.usedMs,
      extendedToMs: chronicle.state.extendedToMs,
    },
    callers: callersOf(options, parent),
    onDeadline: ports.critic === undefined ? null : () => critic.judge(),
  });
  const prices = ports.models?.prices ?? {};
  const meter = createMeter({ limits, prices, parent: parent?.meter ?? null, leftMs: halt.leftMs });
  onMeter(meter);
  try {
    const prepared = { ...granted, halt, meter, critic, chronicle };
    const unfit = pastProblem(prepared, past.length);
    if (unfit === null && past.length > 0) await takeUp(chronicle, ports.journal);
    meter.recount(chronicle.state.used, chronicle.state.turns, chronicle.state.calls);
    if (unfit !== null) return resultOf(prepared, unfit, unfit.status === "killed" ? chronicle.state.steps : []);
    return await perform(prepared, past.length > 0);
  } finally {
    halt.end();
  }
}

function callersOf({ signal }: RunAgentOptions, parent: Lineage | undefined): readonly AbortSignal[] {
  return [signal, parent?.signal].filter((each) => each !== undefined);
}

function agentOf({ agent = {}, model, system, tools, schema }: RunAgentOptions): Agent {
  return {
    ...agent,
    ...(model === undefined ? {} : { model }),
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(schema === undefined ? {} : { schema }),
  };
}

/** A child never gets more than its parent has left. */
function limitsOf(agent: Agent, { budget = {} }: RunAgentOptions, parent: Lineage | undefined): AgentLimits {
  const own = { ...DEFAULT_LIMITS, ...agent.limits, ...budget };
  return parent === undefined ? own : strictest(own, parent.meter.left());
}

interface Prepared extends Granted {
  readonly halt: Halt;
  readonly meter: Meter;
  readonly critic: { judge(): Promise<boolean> };
  readonly chronicle: Chronicle;
}

/** Why what the journal has cannot be gone on with; null: it can, or there is nothing. */
function pastProblem({ options, runId, chronicle }: Prepared, records: number): Ending | null {
  const { ended } = chronicle.state;
  if (options.resume !== undefined && records === 0) {
    const facts = { run: runId, problem: "its journal has nothing of it" };
    return { status: "failed", output: "", error: pawlError(HARNESS_ERRORS, "HARNESS_JOURNAL_UNFIT", facts) };
  }
  if (options.resume === undefined && records > 0) {
    const problem = `there is a run ${runId} already, which is gone on with by \`resume\``;
    return { status: "failed", output: "", error: pawlError(HARNESS_ERRORS, "HARNESS_OPTIONS_UNFIT", { problem }) };
  }
  if (ended?.status !== "killed") return null;
  const error = pawlError(HARNESS_ERRORS, "HARNESS_RUN_KILLED", { why: "it was killed before" });
  return { status: "killed", output: ended.output, error };
}

async function perform(prepared: Prepared, isResumed: boolean): Promise<AgentResult> {
  const { options, agent, runId, ports, halt, chronicle, parent } = prepared;
  const workspace = createWorkspace(options.root);
  const attachments = attachmentsOf(prepared);
  const session: Session = {
    ...{ run: runId, agent, ports, halt, chronicle, attachments, policy: policyFrom(options.policy) },
    health: healthOf(ports.models),
    compaction: { ...COMPACT_RULES, ...options.compaction },
    root: workspace.root,
    dispatch: createDispatch(options, agent, workspace.root),
  };
  prepared.critic.judge = async () => {
    const before = halt.leftMs();
    await heedCritic(session, "deadline");
    return halt.leftMs() > before;
  };
  const lineage = lineageOf(prepared, session);
  await parent?.chronicle.write(childStarted(prepared, parent));
  const endBeat = keepBeat(chronicle, ports.clock);
  try {
    const ending = await withLineage(lineage, () => talk(prepared, session, isResumed)).finally(endBeat);
    return await close(prepared, session, ending);
  } finally {
    workspace.remove();
    await parent?.chronicle.write(childEnded(prepared));
  }
}

/** What a run that is delivered to nobody has attached comes with the answer of the one that asked it. */
function attachmentsOf({ options, parent }: Prepared): Attachments {
  if (parent !== undefined && options.target === undefined)
    return { files: [], attach: parent.attach, refused: () => null };
  return createAttachments({ ...ATTACHMENT_BOUNDS, ...options.attachments });
}

async function talk(prepared: Prepared, session: Session, isResumed: boolean): Promise<Ending> {
  const { options, agent, runId, ports, parent, meter } = prepared;
  const { chronicle } = session;
  try {
    const models = await openModels(agent.model, ports.models);
    if (!isResumed) {
      const facts = { run: runId, agent: agent.name ?? null, parent: parent?.run ?? null };
      await chronicle.write({ type: "run.started", ...facts });
    } else await goOn(chronicle, options, agent);
    const files = chronicle.state.talk === null ? await stageFiles(session.root, options.files ?? []) : "";
    return await runTalks(session, models, meter, options.prompt + files);
  } catch (error) {
    // What an agent declares and cannot have is its failure; anything else is a defect or a journal that fails.
    if (!isPawlError(error) || !/^(?:HARNESS_MODEL|HARNESS_TIER|HARNESS_OPTIONS|TOOL)/.test(error.code)) throw error;
    return failedEnding(session, error);
  }
}

const PUT_BACK = "This call was not made: the files were put back to what they were when the task began.";
const RESTORED = "The files are as they were when the task began: nothing that you have changed since is there.";

/** What is said to an agent that goes on. */
async function goOn(
  { state, write }: Chronicle,
  { prompt, restored = false }: RunAgentOptions,
  { phases }: Agent,
): Promise<void> {
  if (restored) {
    for (const { seq, call } of state.open.filter(({ ended }) => ended === null)) {
      const { id, tool } = call;
      await write({ type: "call.ended", seq, id, tool, key: "", ok: false, output: PUT_BACK });
    }
    await write({ type: "user.said", by: "prompt", text: `${RESTORED}\n\n${prompt}` });
  } else if (state.ended?.status === "completed" && phases === undefined) {
    await write({ type: "user.said", by: "prompt", text: prompt });
  }
}

async function close(prepared: Prepared, session: Session, ending: Ending): Promise<AgentResult> {
  const { options, ports, meter, runId } = prepared;
  const { chronicle, attachments } = session;
  const { status, output, value, error } = ending;
  const refused = attachments.refused();
  if (refused !== null) await chronicle.note("attachment_refused", refused);
  await deliver(ports, options.target, ending, attachments.files, chronicle);
  await tellHook(
    chronicle,
    () => ports.hooks?.onStop?.({ run: runId, status }),
    (told) => orLate(told, ports.clock),
  );
  const usage = meter.used();
  const told = error === null ? null : (error.toJSON() as JsonObject);
  const answer = value === undefined ? {} : { value };
  // A kill must not be forgotten; any other end is found again by whoever goes on.
  await chronicle.write({ type: "run.ended", status, output, ...answer, usage, error: told }, status === "killed");
  return resultOf(prepared, ending, chronicle.state.steps);
}

function resultOf({ runId, meter }: Prepared, ending: Ending, steps: AgentResult["steps"]): AgentResult {
  const { status, output, value, error, failure = null, deferred = null } = ending;
  const answer = value === undefined ? {} : { value };
  return { runId, status, output, ...answer, steps: [...steps], usage: meter.used(), error, failure, deferred };
}

function lineageOf(prepared: Prepared, session: Session): Lineage {
  const { runId, agent, options, parent, meter, halt, chronicle, ports } = prepared;
  const own = agent.name === undefined ? [] : [agent.name];
  return {
    ...{ run: runId, meter, chronicle, journal: ports.journal, signal: halt.signal },
    names: [...(parent?.names ?? []), ...own],
    depth: (parent?.depth ?? -1) + 1,
    limits: parent?.limits ?? { ...DISPATCH_LIMITS, ...options.dispatch },
    family: parent?.family ?? { descendants: 0 },
    attach: session.attachments.attach,
    rule: (call, risk) => ruleOn(session, call, risk),
    tell: (call, result) => tellCall(session, call, result),
  };
}

/** What it may spend at most; a bound that is none says nothing. */
function childStarted({ runId, agent, limits, ports }: Prepared, parent: Lineage): Started {
  const tokens = Number.isFinite(limits.tokens) ? limits.tokens : 0;
  const microUsd = Number.isFinite(limits.usd) ? limits.usd * MICRO : 0;
  const most = { ...NOTHING_USED, tokens, microUsd };
  const isShared = ports.journal === parent.journal;
  return { type: "child.started", run: runId, agent: agent.name ?? "", isShared, most };
}

type Started = Omit<RecordOf<"child.started">, "at">;

function childEnded({ runId, agent, meter }: Prepared): {
  readonly type: "child.ended";
  readonly run: RunId;
  readonly agent: string;
  readonly usage: AgentResult["usage"];
} {
  return { type: "child.ended", run: runId, agent: agent.name ?? "", usage: meter.used() };
}

/** The children of an agent: same policy, same journal, same models; paid for by their parent. */
function createDispatch({ policy, ports = {} }: RunAgentOptions, agent: Agent, root: () => string): ToolDispatch {
  const delegates = new Map(Object.entries(agent.delegates ?? {}).map(([name, each]) => [targetName(name), each]));
  const { budget: _budget, delivery: _delivery, steering: _steering, observer: _observer, ...shared } = ports;
  return async (target, input, signal) => {
    const child = delegates.get(target);
    if (child === undefined) return { ok: false, error: `there is nobody by the name of ${target}` };
    const model = child.model ?? agent.model;
    const result = await runAgent({
      agent: { ...child, name: child.name ?? target, ...(model === undefined ? {} : { model }) },
      prompt: String(input["task"]),
      ...(policy === undefined ? {} : { policy }),
      ...{ ports: shared, root: root(), signal },
    });
    const { status, output, value, error } = result;
    if (status === "completed") return { ok: true, output: value ?? output };
    return { ok: false, error: `${target} ended as ${status}: ${error?.message ?? ""} It said so far: ${output}` };
  };
}
