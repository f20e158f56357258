/** What a run consists of: one talk, or one for each phase. */
import { type Agent, NOTHING_USED, type Phase } from "../agent.ts";
import { PLACE } from "../check-agent.ts";
import type { Meter } from "../meter.ts";
import { checkJson } from "../models/check-json.ts";
import type { Message } from "../models/model.ts";
import { userMessage } from "../transcript/talk.ts";
import { runTalk } from "./loop.ts";
import type { Ending, Session, Setting } from "./session.ts";
import { makeSetting, type OpenModels, phaseSetting } from "./setting.ts";

export async function runTalks(session: Session, models: OpenModels, meter: Meter, prompt: string): Promise<Ending> {
  const { agent, chronicle } = session;
  const { phases = [] } = agent;
  if (phases.length > 0) return runPhases(session, models, meter, phases, prompt);
  const setting = makeSetting(session, models, meter, agent.schema);
  if (chronicle.state.talk === null) await begin(session, null, agent.system, prompt);
  return runTalk(session, setting);
}

async function begin(
  session: Session,
  phase: string | null,
  system: string | undefined,
  prompt: string,
): Promise<void> {
  const { agent, chronicle } = session;
  const standing = [system, agent.rules].filter((text) => text !== undefined && text !== "").join("\n\n");
  const messages: Message[] = standing === "" ? [] : [{ role: "system", content: standing }];
  await chronicle.write({ type: "talk.started", phase, messages: [...messages, userMessage(prompt)] });
}

async function runPhases(
  session: Session,
  models: OpenModels,
  meter: Meter,
  phases: readonly Phase[],
  input: string,
): Promise<Ending> {
  const { state } = session.chronicle;
  const known = new Map([
    ["input", input],
    ["output", input],
  ]);
  let ending: Ending = { status: "completed", output: "", error: null };
  for (const [index, phase] of phases.entries()) {
    const done = state.phases.get(phase.name);
    const schema = index === phases.length - 1 ? session.agent.schema : undefined;
    ending =
      done === undefined
        ? await runPhase(session, () => phaseSetting(session, models, meter, phase, schema), phase, known)
        : gone(done.output, schema);
    if (ending.status !== "completed") return ending;
    known.set("output", ending.output).set(phase.name, ending.output);
  }
  return ending;
}

/** A phase that an earlier host has ended: its answer is read again. */
function gone(output: string, schema: Agent["schema"]): Ending {
  const answer = schema === undefined ? null : checkJson(schema, output);
  return { status: "completed", output, ...(answer?.ok === true ? { value: answer.value } : {}), error: null };
}

async function runPhase(
  session: Session,
  open: () => Promise<Setting>,
  phase: Phase,
  known: ReadonlyMap<string, string>,
): Promise<Ending> {
  const { agent, chronicle } = session;
  const { name } = phase;
  if (chronicle.state.phase !== name)
    await begin(session, name, phase.system ?? agent.system, filled(phase.prompt, known));
  const setting = await open();
  recount(session, setting);
  const talk = await runTalk(session, setting);
  const ending = salvaged(phase, talk);
  if (ending.status === "completed")
    await chronicle.write({ type: "phase.ended", phase: name, status: talk.status, output: ending.output });
  return ending;
}

/** What an earlier host has used of the bounds of this phase. */
function recount({ chronicle }: Session, { meter }: Setting): void {
  const { talkTurns, talkCalls } = chronicle.state;
  meter.recount(NOTHING_USED, talkTurns, talkCalls);
}

/** Whoever stops the run stops its optional phases too; everything else is their own matter. */
const OF_THE_RUN: ReadonlySet<string> = new Set(["timeout", "killed", "cancelled", "deferred", "budget"]);

function salvaged(phase: Phase, ending: Ending): Ending {
  if (ending.status === "completed" || phase.optional !== true || OF_THE_RUN.has(ending.status)) return ending;
  return { status: "completed", output: ending.output === "" ? (phase.fallback ?? "") : ending.output, error: null };
}

/** Once, from left to right: what is filled in is never read as a place again. */
function filled(template: string, known: ReadonlyMap<string, string>): string {
  return template.replaceAll(PLACE, (_, name: string) => known.get(name) ?? "");
}
