/**
 * Plays talks that were recorded with Codex: it says what Codex said, once it has heard what Codex had heard. A change that was
 * allowed is made. Which talk it is depends on whether it is told to go on with a thread.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Recorded } from "./record.ts";

interface Takes {
  readonly started: readonly Recorded[];
  readonly resumed: readonly Recorded[];
  /** It has a process of its own under way at the end. */
  readonly hangs: boolean;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: { readonly decision?: string };
}

declare const TAKES: Takes;

if (process.argv.includes("--version")) {
  console.log("codex-cli 0.166.0");
  process.exit(0);
}

const waiting: Message[] = [];
let wake: () => void = () => undefined;
let isOver = false;

createInterface({ input: process.stdin })
  .on("line", (line) => {
    waiting.push(JSON.parse(line) as Message);
    wake();
  })
  .on("close", () => {
    isOver = true;
    wake();
  });

async function next(): Promise<Message> {
  while (waiting.length === 0) {
    if (isOver) process.exit(0);
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  return waiting.shift() as Message;
}

/** What was changed by an item, when the change was allowed. */
function perform(item: { readonly changes?: readonly { readonly path: string; readonly diff: string }[] }): void {
  for (const { path, diff } of item.changes ?? []) writeFileSync(path, diff);
}

async function play(): Promise<void> {
  let steps = TAKES.started;
  let thread: readonly [string, string] | null = null;
  const items = new Map<unknown, object>();
  const asked = new Map<unknown, unknown>();
  for (let at = 0; at < steps.length; at += 1) {
    const step = steps[at] as Recorded;
    if ("say" in step) {
      const { id, method, params } = step.say as Message;
      const item = params?.["item"] as { readonly id: string } | undefined;
      if (item !== undefined) items.set(item.id, item);
      if (id !== undefined && method !== undefined) asked.set(id, params?.["itemId"]);
      const text = JSON.stringify(step.say);
      process.stdout.write(`${thread === null ? text : text.replaceAll(...thread)}\n`);
      continue;
    }
    const heard = await next();
    if (heard.method === "thread/resume") {
      steps = TAKES.resumed;
      const recorded = (steps[at] as { hear: Message }).hear.params?.["threadId"];
      thread = [String(recorded), String(heard.params?.["threadId"])];
    }
    if (heard.result?.decision === "accept") perform(items.get(asked.get(heard.id)) ?? {});
  }
  if (TAKES.hangs) spawn("sleep", ["1000"], { stdio: "ignore" });
  for (;;) await next();
}

void play();
