/** Six ways to outlive a stage, six ways a stage ends: whichever meet, no process is left a moment later. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { type CliProcess, createProject, eventually, type Project } from "../support/cli.ts";
import { commitFiles } from "../support/git-project.ts";
import { processesWith } from "../support/process-fixture.ts";
import { slowness } from "../support/slowness.ts";

const TIMES = process.env["PAWL_FULL"] === "1" ? 20 : 1;
const STYLES = ["setsid", "group", "daemon", "nohup", "deaf", "chain"];
const SCRIPT = readFileSync(join(import.meta.dirname, "../support/hostile/escape.pl"), "utf8");
const RULES = 'policy: { allow: [{ run: ["perl", "escape.pl", "**"] }] }';
/** What may still be seen after the end of a run, in milliseconds. */
const GRACE_MS = 2000;
const SETTLED_SCANS = 3;

interface Ending {
  /** What a process does once it has left something behind. */
  readonly manner: "leave" | "linger" | "hoard";
  readonly limits: string;
  /** The cause of the end that every member must have; null: its process did not live to tell. */
  readonly cause: string | null;
  /** Called when something of every style runs. */
  end(project: Project, running: CliProcess): Promise<void>;
}

const byItself = async (): Promise<void> => undefined;
const ENDINGS: Readonly<Record<string, Ending>> = {
  "ends by itself": { manner: "leave", limits: "timeout: 60s", cause: "ok", end: byItself },
  "runs out of time": { manner: "linger", limits: "timeout: 4s", cause: "timeout", end: byItself },
  "takes too much memory": {
    manner: "hoard",
    limits: "timeout: 60s, resources: { memory: 96m }",
    cause: "oom",
    end: byItself,
  },
  "is cancelled": {
    manner: "linger",
    limits: "timeout: 60s",
    cause: "killed",
    end: async (project) => expect(await project.pawl("cancel", "@last")).toMatchObject({ code: 0 }),
  },
  "is interrupted twice": {
    manner: "linger",
    limits: "timeout: 60s",
    cause: null,
    end: async (_project, { child }) => {
      child.kill("SIGINT");
      await sleep(100);
      child.kill("SIGINT");
    },
  },
  "loses its host to SIGKILL": {
    manner: "linger",
    limits: "timeout: 60s",
    cause: null,
    end: async (_project, { child }) => {
      child.kill("SIGKILL");
    },
  },
};

const figures = { escapes: 0, slowestMs: 0 };

afterAll(() => {
  process.stderr.write(
    `${figures.escapes} escapes: ${STYLES.length} styles × ${Object.keys(ENDINGS).length} ends × ${TIMES}, ` +
      `0 processes left, the last was gone ${Math.round(figures.slowestMs)} ms after the end\n`,
  );
});

it.for(Object.entries(ENDINGS))("nothing outlives a stage that %s", async ([, ending]) => {
  for (let time = 0; time < TIMES; time += 1) {
    const mark = `survivor-${process.pid}-${figures.escapes}`;
    const project = projectOf(blueprintOf(mark, ending));
    try {
      await endAndLook(project, mark, ending);
    } finally {
      project.remove();
    }
    figures.escapes += STYLES.length;
  }
});

it("what outlives a stage without a wall is seen by the same look", async () => {
  const mark = `survivor-${process.pid}-unwalled`;
  const project = projectOf(`version: 1
name: unwalled
${RULES}
stages:
  - { id: all, command: ["perl", "escape.pl", "setsid", "${mark}", "linger"], sandbox: danger_full_access }
`);
  try {
    const running = project.start("run", "blueprint.yaml", "--danger-full-access", "--json");
    await eventually(() => commandLines(`${mark}-out`).length > 0, "something outlives its stage");
    running.child.kill("SIGKILL");
    await running.ended;
    expect(await remaining(mark, performance.now() - GRACE_MS)).not.toEqual([]);
  } finally {
    for (const pid of processesWith(`${mark}-out`)) process.kill(pid, "SIGKILL");
    for (const pid of processesWith(mark)) process.kill(pid, "SIGKILL");
    project.remove();
  }
});

function projectOf(blueprint: string): Project {
  const project = createProject({ "escape.pl": SCRIPT, "blueprint.yaml": blueprint });
  commitFiles(project.root, {});
  return project;
}

async function endAndLook(project: Project, mark: string, ending: Ending): Promise<void> {
  const running = project.start("run", "blueprint.yaml", "--json");
  let isOver = false;
  void running.ended.finally(() => {
    isOver = true;
  });
  const unseen = new Set(STYLES);
  while (unseen.size > 0 && !isOver) {
    const lines = commandLines(mark);
    for (const style of unseen) if (lines.some((line) => line.includes(`${mark}-${style}-out`))) unseen.delete(style);
    await sleep(15);
  }
  await ending.end(project, running);
  const { stdout, stderr } = await running.ended;
  const endedAt = performance.now();
  expect([...unseen], `never ran: ${stdout}${stderr}`).toEqual([]);
  expect(await remaining(mark, endedAt)).toEqual([]);
  if (ending.cause !== null) expect(await causesOf(project)).toEqual(STYLES.map(() => ending.cause));
}

/** Command lines of what is left when the grace is over, or nothing as soon as several looks in a row have found nothing. */
async function remaining(mark: string, endedAt: number): Promise<readonly string[]> {
  for (let clean = 0; ; ) {
    const left = commandLines(mark);
    clean = left.length === 0 ? clean + 1 : 0;
    const afterMs = performance.now() - endedAt;
    if (clean === 1) figures.slowestMs = Math.max(figures.slowestMs, afterMs);
    if (clean === SETTLED_SCANS) return [];
    if (clean === 0 && afterMs > GRACE_MS && afterMs > GRACE_MS * slowness()) return left;
    await sleep(25);
  }
}

/** Of every process of the machine with these words in it; one that only waits to be collected has none. */
function commandLines(words: string): readonly string[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, "latin1");
      return line.includes(words) ? [line.replaceAll("\0", " ")] : [];
    } catch {
      return [];
    }
  });
}

async function causesOf(project: Project): Promise<readonly (string | undefined)[]> {
  const { value } = await project.json("events", "@last");
  const { events } = value as {
    readonly events: readonly { readonly event: { type: string; stage?: string; cause?: string } }[];
  };
  return events.flatMap(({ event }) =>
    event.type === "stage.finished" && event.stage?.startsWith("all.") === true ? [event.cause] : [],
  );
}

function blueprintOf(mark: string, { manner, limits }: Ending): string {
  const members = STYLES.map(
    (style) =>
      `        - { id: ${style}, command: ["perl", "escape.pl", "${style}", "${mark}-${style}", "${manner}"], ${limits} }`,
  );
  return `version: 1
name: survivors
${RULES}
stages:
  - id: all
    group:
      max_parallel: ${STYLES.length}
      parallel:
${members.join("\n")}
`;
}
