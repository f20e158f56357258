/** One turn: a model is asked with the whole talk, and what it said is stored before anything comes of it. */
import { pawlError } from "../../base/errors.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import { quietly } from "../journal/chronicle.ts";
import { type Asked, askModels } from "../models/ask.ts";
import { type Answer, answeredBy, type CallOptions, messageOf, schemaOf, tokensOf } from "../models/model.ts";
import { type Candidate, namesOf } from "../models/route.ts";
import { atMost } from "../transcript/talk.ts";
import { boundEnding, haltEnding, wordsOf } from "./endings.ts";
import { tellStep } from "./hooks.ts";
import type { Ending, Session, Setting } from "./session.ts";

/** null: there is an answer. */
export async function takeTurn(session: Session, setting: Setting): Promise<Ending | null> {
  const { chronicle } = session;
  const { talk } = chronicle.state;
  if (talk === null) return null;
  const prompt = atMost(talk) + (talk.measured === null ? setting.offeredBytes : 0);
  const room = setting.meter.room(prompt, namesOf(setting.candidates));
  if (typeof room === "string") return boundEnding(session, setting, room);
  setting.meter.addTurn();
  const asked = await ask(session, setting, {
    ...optionsOf(setting),
    prompt: talk.messages.slice(),
    maxOutputTokens: room,
  });
  if (asked.kind === "aborted") return haltEnding(session);
  if (asked.kind === "failed") return modelEnding(session, asked);
  // A turn with calls is over when they are.
  if (chronicle.state.open.length === 0 || setting.offered.length === 0) await tellStep(session);
  const { finishReason } = asked.answer;
  const unfit = UNFIT[finishReason.unified];
  if (unfit !== undefined && chronicle.state.open.length === 0) {
    const error = pawlError(HARNESS_ERRORS, "HARNESS_ANSWER_UNFIT", { why: unfit });
    return { status: "failed", output: wordsOf(session), error, failure: "provider" };
  }
  return null;
}

const UNFIT: Readonly<Record<string, string>> = {
  length: "it was cut off at its longest",
  "content-filter": "it was filtered",
  error: "it broke off",
};

function optionsOf({ offered, schema }: Setting): Pick<CallOptions, "tools" | "toolChoice" | "responseFormat"> {
  return {
    ...(offered.length === 0 ? {} : { tools: offered, toolChoice: { type: "auto" } as const }),
    ...(schema === null ? {} : { responseFormat: { type: "json", schema: schemaOf(schema) } as const }),
  };
}

async function ask(session: Session, setting: Setting, options: CallOptions): Promise<Asked> {
  const { chronicle, halt, health, ports } = session;
  const { clock, chance, observer } = ports;
  // What an answer is worth is known later than what it costs.
  const empty: (readonly [Candidate, Answer])[] = [];
  const failures: (readonly [Candidate, string])[] = [];
  const asked = await askModels(
    {
      ...{ candidates: setting.candidates, health, clock, chance },
      onBilled: (candidate, answer) => empty.push([candidate, answer]),
      onFailure: (candidate, why) => failures.push([candidate, why]),
    },
    options,
    halt.signal,
  );
  for (const [candidate, why] of failures) {
    quietly(() => observer?.onRetry?.({ model: candidate.name, why }));
    await chronicle.note("model_passed_over", `${candidate.name}: ${why}`);
  }
  for (const [candidate, answer] of empty) await account(session, setting, candidate, answer, asked);
  return asked;
}

async function account(
  session: Session,
  setting: Setting,
  candidate: Candidate,
  answer: Answer,
  asked: Asked,
): Promise<void> {
  const { chronicle, ports } = session;
  const model = answeredBy(candidate.model, answer);
  const tokens = tokensOf(answer);
  const microUsd = setting.meter.add([model, candidate.model.modelId], tokens);
  if (asked.kind === "answered" && asked.answer === answer) {
    const message = messageOf(answer);
    const turn = chronicle.state.turns + 1;
    await chronicle.write({ type: "turn.answered", turn, model, message, tokens, microUsd });
    const text = chronicle.state.steps.at(-1)?.text ?? "";
    if (text !== "") quietly(() => ports.observer?.onText?.(text));
  } else await chronicle.write({ type: "model.asked", what: "no_answer", model, tokens, microUsd });
  tellUsage(session, model, tokens, microUsd);
}

export function tellUsage(
  { ports, run }: Session,
  model: string,
  tokens: ReturnType<typeof tokensOf>,
  microUsd: number,
): void {
  const { input, cacheRead, cacheWrite, cacheWriteLong, output } = tokens;
  const read = input + cacheRead + cacheWrite + cacheWriteLong;
  const used = { input: read, cached: cacheRead, output, tokens: read + output, microUsd, modelCalls: 1 };
  quietly(() => ports.sinks?.usage?.({ ...used, run, model }));
}

function modelEnding(session: Session, { why, reasons }: Extract<Asked, { kind: "failed" }>): Ending {
  const output = wordsOf(session);
  if (why === "budget") {
    return { status: "budget", output, error: pawlError(HARNESS_ERRORS, "HARNESS_BUDGET_SPENT", { why: reasons }) };
  }
  const error = pawlError(HARNESS_ERRORS, "HARNESS_MODEL_FAILED", { reasons });
  return { status: "failed", output, error, failure: why };
}
