/** Watches one process until it and everything it started are gone: time, progress, limits, requests, and what stays behind. */
import { formatDuration } from "../../base/duration.ts";
import type { Dialogue } from "../../ports/executor.ts";
import type { Ending } from "./classify.ts";
import { type Observation, type Observer, observe } from "./observe.ts";
import { beginTalk, createHearing, type Hearing } from "./output/talk.ts";
import { killMarked } from "./reap.ts";
import type { Child } from "./spawn.ts";
import { createGroupFamily, createNamespaceFamily, end, type Family, kill } from "./terminate.ts";
import { after, within } from "./watch/deadline.ts";
import { isInit } from "./watch/proc.ts";
import { createTree, type Tree } from "./watch/tree.ts";

export interface Watch extends Omit<Observation, "child" | "tree" | "hasBegun"> {
  readonly key: string;
  readonly timeoutMs: number;
  readonly graceMs: number;
  /** How long a process with a gate may take to come to it. */
  readonly readyMs: number;
  readonly signal: AbortSignal;
  readonly dialogue: Dialogue | undefined;
}

export interface Watched {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ending: Ending | null;
  /** It said that it is ready, and was told to begin. Without that the program never ran. */
  readonly hasBegun: boolean;
  /** Processes of the stage that could not be ended. */
  readonly survivors: readonly number[];
}

/** After the process has ended, others may still write to its pipes: they get this long. */
const DRAIN_MS = 250;
/** After they were killed, what is left in the pipes is read for at most this long. */
const CLOSE_MS = 500;
/** Whoever talks with it has this long to take its last words. */
const LAST_WORDS_MS = 5000;
/** A process that outlives SIGKILL so long (it may belong to another user) is given up. */
const UNKILLABLE_MS = 10_000;
/** No machine uses up its 32,768 or more process ids so quickly. */
const ONCE_AROUND_MS = 1000;
/** Before it begins a process has started hardly anything. */
const MOST_BEFORE = 64;

/** What is known of the process while it runs. */
interface Ward {
  readonly pid: number;
  readonly child: Child;
  readonly tree: Tree;
  readonly watch: Watch;
  family: Family;
  /** It has a process namespace of its own. */
  isContained: boolean;
  hasBegun: boolean;
}

export async function supervise(child: Child, pid: number, watch: Watch): Promise<Watched> {
  const from = performance.now();
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const tree = createTree(pid, { countsTransfer: watch.stallMs !== null });
  const ward: Ward = {
    pid,
    child,
    watch,
    tree,
    family: createGroupFamily(pid, tree, watch.group),
    isContained: false,
    hasBegun: gateOf(child) === undefined,
  };
  const hearing = watch.dialogue && createHearing(watch.dialogue, child.stdout);
  const { code, signal, ending, gone, observer } = await untilExit(ward, hearing);
  const atExit = ending ?? observer.lastWord();
  if (ending === null && !ward.isContained) await within(DRAIN_MS, closed);
  const allGone = ending === null ? await kill(ward.family) : await gone;
  const isYoung = performance.now() - from < ONCE_AROUND_MS;
  const escaped = ward.isContained ? [] : await killMarked(watch.key, isYoung ? pid : 0);
  await within(CLOSE_MS, closed);
  await hearOut(hearing, ending);
  for (const stream of [child.stdin, child.stdout, child.stderr, gateOf(child)]) stream?.destroy();
  return {
    code,
    signal,
    ending: atExit ?? observer.overflow(),
    hasBegun: ward.hasBegun,
    survivors: allGone ? escaped : [...new Set([pid, ...escaped])],
  };
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ending: Ending | null;
  /** Settles when those that we are ending are gone. */
  readonly gone: Promise<boolean>;
  readonly observer: Observer;
}

function untilExit(ward: Ward, hearing: Hearing | undefined): Promise<Exit> {
  const { child, tree, watch } = ward;
  return new Promise((resolve) => {
    let ending: Ending | null = null;
    let gone = Promise.resolve(true);
    let isOver = false;
    const stops: (() => void)[] = [];
    const finish = (code: number | null, signal: string | null): void => {
      isOver = true;
      for (const stop of stops) stop();
      resolve({ code, signal, ending, gone, observer });
    };
    const stopBecause = (why: Ending): void => {
      if (isOver || ending !== null) return;
      ending = why;
      const graceMs = why.isSudden ? 0 : watch.graceMs;
      gone = end(ward.family, graceMs);
      stops.push(after(graceMs + UNKILLABLE_MS, () => finish(null, null)));
    };
    child.once("exit", finish);
    child.on("error", () => undefined);
    const observer = observe(
      { ...watch, onChunk: heardBy(hearing, watch.onChunk), child, tree, hasBegun: () => ward.hasBegun },
      stopBecause,
    );
    stops.push(
      () => observer.stop(),
      after(watch.timeoutMs, () => stopBecause(tooLong(watch.timeoutMs))),
      watchRequest(watch.signal, stopBecause),
      watchGate(ward, stopBecause, () => {
        if (ending === null) begin(ward);
      }),
    );
  });
}

/** Nobody waits for the last words of a process that we ended. */
async function hearOut(hearing: Hearing | undefined, ending: Ending | null): Promise<void> {
  if (hearing === undefined) return;
  await within(ending === null ? LAST_WORDS_MS : 0, hearing.allTaken());
  hearing.end();
}

/** Whoever talks with the process hears what the log gets. */
function heardBy(hearing: Hearing | undefined, onChunk: Observation["onChunk"]): Observation["onChunk"] {
  if (hearing === undefined) return onChunk;
  return (stream, chunk) => {
    onChunk(stream, chunk);
    if (stream === "stdout") hearing.take(chunk);
  };
}

function tooLong(timeoutMs: number): Ending {
  return { cause: "timeout", what: `was ended: it ran longer than ${formatDuration(timeoutMs)}`, isSudden: false };
}

function watchRequest(signal: AbortSignal, stopBecause: (why: Ending) => void): () => void {
  const onAbort = (): void =>
    stopBecause({ cause: "killed", what: "was ended on request", isSudden: signal.reason === "kill" });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return () => signal.removeEventListener("abort", onAbort);
}

/** A process with a gate waits there until it is told to begin. */
function watchGate(ward: Ward, stopBecause: (why: Ending) => void, onReady: () => void): () => void {
  const { child, watch } = ward;
  const { readyMs } = watch;
  const gate = gateOf(child);
  if (gate === undefined) {
    talk(ward);
    return () => undefined;
  }
  const what = `could not be started: it was not ready within ${formatDuration(readyMs)}`;
  const callOff = after(readyMs, () => stopBecause({ cause: "spawn_error", what, isSudden: true }));
  gate.on("error", () => undefined);
  gate.once("data", () => {
    callOff();
    onReady();
  });
  return callOff;
}

/** Lets the program begin: once we know how to end all of it, and it is in its group with everything it will start. */
function begin(ward: Ward): void {
  const { pid, child, tree, watch } = ward;
  tree.look(MOST_BEFORE);
  const members = tree.members();
  const init = members.find((member) => member.pid !== pid && isInit(member.pid));
  if (init !== undefined) {
    ward.family = createNamespaceFamily(pid, init, tree);
    ward.isContained = true;
  }
  // What waits at the gate becomes the program; whoever else is there belongs to the wall.
  const program = members.find((member) => member.parent === init?.pid)?.pid ?? pid;
  tree.ignore(members.map((member) => member.pid).filter((member) => member !== program));
  watch.group?.add(program);
  ward.hasBegun = true;
  gateOf(child)?.end("go\n");
  talk(ward);
}

function talk({ child, watch: { dialogue } }: Ward): void {
  if (dialogue !== undefined && child.stdin !== null) beginTalk(dialogue, child.stdin);
}

function gateOf(child: Child): Child["stdio"][3] | undefined {
  return child.stdio[3] ?? undefined;
}
