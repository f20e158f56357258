/** Twelve states of a run, killed in each: no process two seconds later, no effect after it was said, and it never comes back. */
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { type CliProcess, type CliResult, createProject, eventually, type Project } from "../support/cli.ts";
import { commitFiles } from "../support/git-project.ts";
import { type KillState, type Place, STATES } from "../support/kill/states.ts";
import { PATIENCE_MS, slowness } from "../support/slowness.ts";

const TIMES = process.env["PAWL_FULL"] === "1" ? 20 : 1;
const WORK = readFileSync(join(import.meta.dirname, "../support/hostile/work.pl"), "utf8");
/** What the issue demands, from the moment the switch was pulled. */
const GONE_MS = 2000;
/** How long we look for effects that come late. */
const AFTER_MS = 250;

interface Event {
  readonly type: string;
  readonly at: number;
  readonly status?: string;
  readonly reason?: string;
}

const figures = { cases: 0, effects: 0, slowestMs: 0, slowest: "", resumes: 0 };

afterAll(() => {
  process.stderr.write(
    `${figures.cases} kill cases (${Object.keys(STATES).length} states × ${TIMES}): 0 processes after at most ${Math.round(figures.slowestMs)} ms ` +
      `(${figures.slowest}), 0 of ${figures.effects} effects after the acknowledgement, 0 of ${figures.resumes} attempts to go on went on\n`,
  );
});

it.for(Object.entries(STATES))("a kill ends %s, and it stays ended", async ([name, state]) => {
  for (let time = 0; time < TIMES; time += 1) await killOnce(name, state, time);
});

async function killOnce(name: string, state: KillState, time: number): Promise<void> {
  const mark = `kill-${process.pid}-${figures.cases}`;
  const told = { mark, witness: "" };
  const files = { "work.pl": WORK, "src.txt": "bad\n", "good.txt": "good\n", "blueprint.yaml": state.blueprint(told) };
  const project = createProject({
    ...files,
    ...(state.child === undefined ? {} : { "child.yaml": state.child(told) }),
  });
  commitFiles(project.root, {});
  const place: Place = { project, mark, witness: join(project.root, "witness.log") };
  const clear = (await state.prepare?.(place)) ?? (() => undefined);
  try {
    await killAndLook(name, state, place, time % 2 === 1 || state.by !== undefined);
  } catch (error) {
    clear();
    for (const pid of marked(mark)) process.kill(pid, "SIGKILL");
    // What was ended here may still be at its last write: that must not be told instead of what went wrong.
    rmSync(project.root, { recursive: true, force: true, maxRetries: 20 });
    throw error;
  }
  clear();
  project.remove();
  figures.cases += 1;
}

async function killAndLook(name: string, state: KillState, place: Place, all: boolean): Promise<void> {
  const { project, mark } = place;
  project.env["KILL_MARK"] = mark;
  const running = project.start("run", "blueprint.yaml", ...(state.args ?? []));
  delete project.env["KILL_MARK"];
  await reach(state, place, running);
  const undo = (await state.hamper?.(place, running)) ?? (() => undefined);
  const acknowledged = pull(state, place, running, all);
  acknowledged.catch(() => undefined);
  const since = await pulledAt(project, all);
  const goneMs = (await goneAt(mark, running.child.pid)) - since;
  undo();
  const ackAt = await acknowledged;
  const { stdout, stderr } = await running.ended;
  expect(goneMs, `processes were left: ${stdout}${stderr}`).toBeLessThanOrEqual(GONE_MS * slowness());
  if (goneMs > figures.slowestMs) Object.assign(figures, { slowestMs: goneMs, slowest: name });
  await sleep(AFTER_MS);
  const effects = effectsOf(place);
  figures.effects += effects.length;
  expect(effects.filter((at) => at > ackAt)).toEqual([]);
  expect(marked(mark)).toEqual([]);
  await staysEnded(place, all);
}

async function reach({ isBusy, rests }: KillState, place: Place, running: CliProcess): Promise<void> {
  if (rests === true) {
    expect(await running.ended).toMatchObject({ code: 2 });
    return;
  }
  await untilTrue(() => effectsOf(place).length >= (isBusy ? 3 : 1), running);
  await sleep(60);
}

async function untilTrue(check: () => boolean, running: CliProcess): Promise<void> {
  let over: CliResult | null = null;
  void running.ended.then((result) => {
    over = result;
  });
  for (const until = performance.now() + PATIENCE_MS; !check(); await sleep(15)) {
    if (over !== null || performance.now() > until) throw new Error(`never got there: ${JSON.stringify(over)}`);
  }
}

/** Resolves to when the kill was acknowledged. */
async function pull({ by }: KillState, { project }: Place, running: CliProcess, all: boolean): Promise<number> {
  if (by === "flag file") {
    writeFileSync(join(project.root, ".pawl/kill"), "");
    await running.ended;
    return Date.now();
  }
  const { code, value } = await project.json("kill", ...(all ? ["--all"] : ["@last"]), "--why", "a test");
  expect({ code, value }).toMatchObject({ code: 0, value: { by: "tester", why: "a test", complete: true } });
  expect((value as { runs: readonly unknown[] }).runs.length).toBeGreaterThan(0);
  return Date.now();
}

/** When the flag came to be there. */
async function pulledAt({ root }: Project, all: boolean): Promise<number> {
  const isThere = (): boolean =>
    readdirSync(join(root, ".pawl")).some((name) => (all ? name === "kill" : name.startsWith("kill-")));
  await eventually(isThere, "the switch is pulled");
  return Date.now();
}

/** When nobody was left that the run has started, as several looks in a row have found. Its host may have other runs. */
async function goneAt(mark: string, host: number | undefined): Promise<number> {
  const until = Date.now() + 4 * GONE_MS * slowness();
  for (let first = 0, clean = 0; ; await sleep(15)) {
    const now = Date.now();
    clean = marked(mark).every((pid) => pid === host) ? clean + 1 : 0;
    if (clean === 1) first = now;
    if (clean === 3) return first;
    if (now > until) return now;
  }
}

/** Every process of the machine that has the mark in its environment or its arguments, and has not ended. */
function marked(mark: string): readonly number[] {
  const words = Buffer.from(mark);
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    const has = (file: string): boolean => readOf(`/proc/${name}/${file}`).includes(words);
    return has("cmdline") || has("environ") ? [Number(name)] : [];
  });
}

function readOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** When each effect happened. */
function effectsOf(place: Place): readonly number[] {
  keepWitnesses(place);
  const kept = keptIn(place);
  const files = [place.witness, ...readdirSync(kept).map((name) => join(kept, name))].filter(existsSync);
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return lines.filter((line) => line.includes(" ")).map((line) => Number.parseFloat(line));
}

function keptIn({ project }: Place): string {
  const kept = join(project.root, ".git", "kept");
  mkdirSync(kept, { recursive: true });
  return kept;
}

/** A workspace is removed with its run: a second name of the file stays, and whoever still writes to it is seen. */
function keepWitnesses(place: Place): void {
  const folder = join(place.project.root, ".pawl/workspaces");
  for (const path of witnessesBelow(folder)) {
    try {
      const copy = join(keptIn(place), String(statSync(path).ino));
      if (!existsSync(copy)) linkSync(path, copy);
    } catch {
      // It went with its workspace in the same moment.
    }
  }
}

/** Folders come and go while we look. */
function witnessesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === ".git" ? [] : witnessesBelow(path);
      return entry.name === "witness.log" ? [path] : [];
    });
  } catch {
    return [];
  }
}

/** What is stored says that it was killed, and whatever is tried, nothing goes on. */
async function staysEnded(place: Place, all: boolean): Promise<void> {
  const { project } = place;
  const before = effectsOf(place).length;
  const events = await eventsOf(project);
  expect(events.at(-1)).toMatchObject({ type: "run.finished", status: "killed", reason: "kill_switch" });
  const { code } = await project.pawl("resume", "@last");
  expect(code).not.toBe(0);
  figures.resumes += 1;
  if (all) {
    const refused = await project.pawl("run", "blueprint.yaml");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("pawl kill --release")]);
    expect(await project.pawl("kill", "--release")).toMatchObject({ code: 0 });
    figures.resumes += 1;
  }
  expect((await project.pawl("verify", "@last")).code).toBe(0);
  expect([await eventsOf(project), effectsOf(place).length]).toEqual([events, before]);
}

async function eventsOf(project: Project): Promise<readonly Event[]> {
  const { value } = await project.json("events", "@last");
  return (value as { readonly events: readonly { readonly event: Event }[] }).events.map(({ event }) => event);
}
