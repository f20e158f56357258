/** One turn: a model is asked with the whole talk, and what it said is stored before anything comes of it. */
import { pawlError } from "../../base/errors.ts";
import type { Tokens } from "../../limits/prices/tokens.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import { quietly } from "../journal/chronicle.ts";
import { TURN } from "../journal/state.ts";
import { type Asked, askModels } from "../models/ask.ts";
import { type Answer, answeredBy, type CallOptions, messageOf, schemaOf } from "../models/model.ts";
import { tokensOf } from "../models/read-answer.ts";
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
  const names = namesOf(setting.candidates);
  const room = setting.meter.room(prompt, names);
  if (typeof room === "string") return boundEnding(session, setting, room);
  await chronicle.write({ type: "model.reserved", id: TURN, ...setting.meter.worst(prompt, room, names) });
  setting.meter.addTurn();
  const options = { ...optionsOf(setting), prompt: talk.messages.slice(), maxOutputTokens: room };
  const asked = await ask(session, setting, options, prompt);
  if (asked.kind === "aborted") return haltEnding(session);
  if (asked.kind === "failed") return modelEnding(session, asked);
  // A turn with calls is over when they are.
  if (chronicle.state.open.length === 0 || isLastWord(session, setting)) await tellStep(session);
  const { finishReason } = asked.answer;
  const unfit = UNFIT[finishReason.unified];
  if (unfit !== undefined && chronicle.state.open.length === 0) {
    const error = pawlError(HARNESS_ERRORS, "HARNESS_ANSWER_UNFIT", { why: unfit });
    return { status: "failed", output: wordsOf(session), error, failure: "provider" };
  }
  return null;
}

/** Whoever has no tools has answered with words, whatever else it wants to call; a call alone is no answer. */
export function isLastWord({ chronicle }: Session, { offered }: Setting): boolean {
  return offered.length === 0 && (chronicle.state.steps.at(-1)?.text ?? "") !== "";
}

/** Why an answer is none, by how it ended. */
export const UNFIT: Readonly<Record<string, string>> = {
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

async function ask(session: Session, setting: Setting, options: CallOptions, promptBytes: number): Promise<Asked> {
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
  for (const [candidate, answer] of empty) {
    await account(session, setting, candidate, answer, tokensOf(answer, promptBytes), asked);
  }
  return asked;
}

async function account(
  session: Session,
  setting: Setting,
  candidate: Candidate,
  answer: Answer,
  tokens: Tokens,
  asked: Asked,
): Promise<void> {
  const { chronicle, ports } = session;
  const model = answeredBy(candidate.model, answer);
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

export function tellUsage({ ports, run }: Session, model: string, tokens: Tokens, microUsd: number): void {
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
