/** What it costs to sum up a long talk, with a summariser that answers at once. */
import { applyCut, digestOf, findCut } from "../../src/harness/transcript/compact.ts";
import { beginTalk, resultPart, say, type Talk, userMessage } from "../../src/harness/transcript/talk.ts";
import { PAGE } from "./model.ts";

const RULES = { contextTokens: 20_000, ratio: 0.6, keep: 10 };

/** Processor milliseconds to say so many turns, summing up whenever it is due. */
export function longTalk(turns: number): number {
  const from = process.cpuUsage();
  const talk = begun();
  for (let turn = 0; turn < turns; turn += 1) {
    sayTurn(talk, turn);
    sumUp(talk);
  }
  return since(from);
}

/** The same talk, summed up once at its end; only that is counted. */
export function oneCut(turns: number): number {
  const talk = begun();
  for (let turn = 0; turn < turns; turn += 1) sayTurn(talk, turn);
  const from = process.cpuUsage();
  sumUp(talk);
  return since(from);
}

function begun(): Talk {
  return beginTalk([{ role: "system", content: "be good" }, userMessage("the task")]);
}

function sayTurn(talk: Talk, turn: number): void {
  const call = { id: `c${turn}`, tool: "look_up" };
  const input = { page: turn };
  say(talk, { role: "assistant", content: [{ type: "tool-call", toolCallId: call.id, toolName: call.tool, input }] });
  say(talk, { role: "tool", content: [resultPart(call, true, PAGE)] });
}

function sumUp(talk: Talk): void {
  const cut = findCut(talk, RULES);
  if (cut !== null) applyCut(talk, cut, digestOf(talk, cut, 40_000).slice(0, 2000), "Keep the rules.");
}

function since(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}
