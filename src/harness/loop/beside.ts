/** Questions to a model beside the talk: a summary, or what a tool wants to know. They are paid for like everything else. */
import type { JsonObject } from "../../base/json.ts";
import { askModels } from "../models/ask.ts";
import { checkJson } from "../models/check-json.ts";
import { type Answer, answeredBy, type Message, messageOf, schemaOf, textOf } from "../models/model.ts";
import { tokensOf } from "../models/read-answer.ts";
import { type Candidate, namesOf } from "../models/route.ts";
import type { ToolAnswer } from "../tools/tool.ts";
import { userMessage } from "../transcript/talk.ts";
import type { Session, Setting } from "./session.ts";
import { tellUsage, UNFIT } from "./turn.ts";

export interface Question {
  /** In the journal. */
  readonly what: string;
  readonly system: string;
  readonly prompt: string;
  readonly schema?: JsonObject;
}

export async function askBeside(
  session: Session,
  setting: Setting,
  question: Question,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const messages: Message[] = [{ role: "system", content: question.system }, userMessage(question.prompt)];
  const first = await askOnce(session, setting, question, messages, signal);
  if (!first.ok || question.schema === undefined) return first;
  const problem = checkJson(question.schema, first.text);
  if (problem.ok) return first;
  messages.push(
    { role: "assistant", content: [{ type: "text", text: first.text }] },
    userMessage(
      `That does not fit: ${problem.problem}. Answer again, with JSON that fits the schema and nothing else.`,
    ),
  );
  const second = await askOnce(session, setting, question, messages, signal);
  if (!second.ok) return second;
  const again = checkJson(question.schema, second.text);
  return again.ok ? second : { ok: false, error: `the answer does not fit its schema: ${again.problem}` };
}

async function askOnce(
  session: Session,
  setting: Setting,
  { what, schema }: Question,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { ports, health, chronicle } = session;
  const { meter, helpers } = setting;
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(JSON.stringify(content)), 0);
  const names = namesOf(helpers);
  const room = meter.room(bytes, names);
  if (typeof room === "string") return { ok: false, error: `the budget of the run is used up (${room})` };
  const id = chronicle.next();
  await chronicle.write({ type: "model.reserved", id, ...meter.worst(bytes, room, names) });
  const billed: (readonly [Candidate, Answer])[] = [];
  const format = schema === undefined ? {} : { responseFormat: { type: "json" as const, schema: schemaOf(schema) } };
  const asked = await askModels(
    {
      ...{ candidates: helpers, health, clock: ports.clock, chance: ports.chance },
      onBilled: (candidate, answer) => billed.push([candidate, answer]),
      onFailure: () => undefined,
    },
    { prompt: [...messages], maxOutputTokens: room, ...format },
    signal,
  );
  for (const [candidate, answer] of billed) {
    const tokens = tokensOf(answer, bytes);
    const model = answeredBy(candidate.model, answer);
    const microUsd = meter.add([model, candidate.model.modelId], tokens);
    await chronicle.write({ type: "model.asked", id, what, model, tokens, microUsd });
    tellUsage(session, model, tokens, microUsd);
  }
  if (billed.length === 0) await chronicle.write({ type: "model.freed", id });
  if (asked.kind === "aborted") return { ok: false, error: "it was cancelled" };
  if (asked.kind === "failed") return { ok: false, error: `no model has answered: ${asked.reasons}` };
  const unfit = UNFIT[asked.answer.finishReason.unified];
  if (unfit !== undefined) return { ok: false, error: `the answer is not whole: ${unfit}` };
  const message = messageOf(asked.answer);
  return { ok: true, text: message === null ? "" : textOf(message) };
}
