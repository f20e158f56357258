/** Every example does what its expected.json says, run by the built command line on a copy. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { EventOf, StoredEvent } from "../../src/run/events.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const CLI = join(ROOT, "dist", "cli", "main.js");
const EXAMPLES = readdirSync(join(ROOT, "examples"), { withFileTypes: true }).flatMap((entry) =>
  // What has no blueprint of its own has a test of its own.
  entry.isDirectory() && existsSync(join(ROOT, "examples", entry.name, "expected.json")) ? [entry.name] : [],
);

interface Expected {
  readonly status: string;
  readonly reason: string;
  /** Stage, outcome and output of every attempt that ended; in the order of the names within a group. */
  readonly stages: readonly (readonly [stage: string, outcome: string, output: unknown])[];
  /** Exit code of the command line, if not 0. */
  readonly exit?: number;
  /** A program that stands in for a model; its first line is its address. */
  readonly model?: string;
  /** Questions that a person approves on the way. */
  readonly approve?: number;
  /** Path → text that the file must hold afterwards. */
  readonly files: Readonly<Record<string, string>>;
}

const copies: string[] = [];
afterEach(() => {
  for (const folder of copies.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function copyOf(example: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-example-")));
  copies.push(folder);
  cpSync(join(ROOT, "examples", example), folder, { recursive: true });
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "add", "--all");
  git(folder, "-c", "user.name=ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message=begin");
  return folder;
}

function git(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", ["-C", folder, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout;
}

/** A file of the tree that the run has reached; the files of the project itself stay as they are. */
function fileOf(folder: string, events: readonly StoredEvent[], path: string): string {
  const tree = finishedStages(events).findLast((event) => event.tree !== undefined)?.tree;
  return git(folder, `--git-dir=${join(folder, ".pawl", "vault.git")}`, "show", `${tree}:${path}`);
}

/** Ends with the test. */
async function startModel(program: string): Promise<string> {
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    vi.unstubAllEnvs();
    child.kill();
  });
  const [address] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  vi.stubEnv("ANTHROPIC_API_KEY", "the-key-of-the-example");
  return address;
}

function pawl(
  folder: string,
  ...args: readonly string[]
): { readonly exit: number | null; readonly stdout: string; readonly stderr: string } {
  const env = { ...process.env, FIX_PAUSE_MS: "0" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, "-C", folder, ...args], {
    cwd: folder,
    encoding: "utf8",
    env,
  });
  return { exit: status, stdout, stderr };
}

function eventsOf(folder: string): StoredEvent[] {
  return (JSON.parse(pawl(folder, "events", "@last", "--json").stdout) as { events: StoredEvent[] }).events;
}

/** The question that a run waits for, as the document of the run tells it. */
function questionOf(stdout: string): string {
  return (JSON.parse(stdout) as { open: { id: string }[] }).open[0]?.id ?? "";
}

function finishedStages(events: readonly StoredEvent[]): EventOf<"stage.finished">[] {
  return events.flatMap(({ event }) => (event.type === "stage.finished" ? [event] : []));
}

/** Members of one group end in any order; everything else keeps its place. */
function inGroupOrder(
  rows: readonly (readonly [string, string, unknown])[],
): readonly (readonly [string, string, unknown])[] {
  const group = (stage: string): string | undefined => /^([^.[]+)[.[]/.exec(stage)?.[1];
  return [...rows].sort(([a], [b]) =>
    group(a) !== undefined && group(a) === group(b) ? a.localeCompare(b, "en", { numeric: true }) : 0,
  );
}

describe("the examples", () => {
  test("are there", () => {
    expect(EXAMPLES.toSorted()).toEqual([
      "agent-loop",
      "approve-change",
      "child-run",
      "endless-agent",
      "fan-out",
      "fix-tests",
      "hello",
    ]);
  });

  test.for(EXAMPLES)("%s ends as it says, is intact and replays", async (example) => {
    const folder = copyOf(example);
    const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as Expected;
    if (expected.model !== undefined) vi.stubEnv("PAWL_ANTHROPIC_URL", await startModel(join(folder, expected.model)));

    let run = pawl(folder, "run", "blueprint.yaml", "--json");
    for (let answered = 0; answered < (expected.approve ?? 0); answered += 1) {
      expect(run.exit).toBe(2);
      run = pawl(folder, "approve", questionOf(run.stdout), "--json");
    }
    const events = eventsOf(folder);
    const last = events.at(-1)?.event;

    expect({ exit: run.exit, stderr: run.stderr }).toEqual({ exit: expected.exit ?? 0, stderr: "" });
    expect(last).toMatchObject({ type: "run.finished", status: expected.status, reason: expected.reason });
    const rows = finishedStages(events).map((event) => [event.stage, event.outcome, event.output ?? null] as const);
    expect(rows).toHaveLength(expected.stages.length);
    expect(inGroupOrder(rows)).toMatchObject(expected.stages);
    for (const [path, text] of Object.entries(expected.files)) expect(fileOf(folder, events, path)).toContain(text);
    expect(git(folder, "status", "--porcelain")).toBe("");
    expect(pawl(folder, "verify", "@last").exit).toBe(0);
    expect(pawl(folder, "replay", "@last").exit).toBe(0);
  });

  test.for(EXAMPLES)("%s has a plan with a finite worst case", (example) => {
    const planned = pawl(copyOf(example), "plan", "blueprint.yaml", "--json");
    expect(planned.exit, planned.stderr).toBe(0);
  });

  test("hello greets whom it is told to greet", () => {
    const folder = copyOf("hello");
    expect(pawl(folder, "run", "blueprint.yaml", "--param", "name=Ada").exit).toBe(0);
    expect(finishedStages(eventsOf(folder))[0]?.output).toBe("Hello, Ada!");
  });

  test("triage proposes a repair of what STATE.md reports, by the agent that pawl.yaml names", () => {
    const folder = copyOf("triage");
    const state = join(folder, "STATE.md");
    writeFileSync(state, readFileSync(state, "utf8").replace("(nothing)", "- [ ] #7 — add(1, 2) is not 3"));
    const { checks } = JSON.parse(pawl(folder, "doctor", "--json").stdout) as { checks: { name: string }[] };
    expect(checks.find(({ name }) => name === "loop triage")).toMatchObject({ status: "ok" });
    expect(pawl(folder, "run", "triage", "--json").exit).toBe(0);
    const created = eventsOf(folder)[0]?.event;
    const run = created?.type === "run.created" ? created.run : "";
    expect(git(folder, "show", `pawl/${run}:src/add.mjs`)).toContain("a + b");
    expect(readFileSync(state, "utf8")).toContain(
      `- [ ] #7 — add(1, 2) is not 3\n  Loop action: fix-proposed (${run})\n`,
    );
    expect(pawl(folder, "verify", "@last").exit).toBe(0);
  });

  test("fix-tests is refused whatever its rules do not name", () => {
    const folder = copyOf("fix-tests");
    const run = pawl(folder, "run", "blueprint.yaml", "--param", 'test=["node","tools/report.mjs","--all"]', "--json");
    expect(run.exit).toBe(2);
    expect(eventsOf(folder).at(-1)?.event).toMatchObject({ type: "run.finished", reason: "policy_denied" });
  });
});

describe("the blueprints shown in documents", () => {
  const shown = ["README.md", "docs/guides/blueprints.md"].flatMap((path) => {
    const blocks = readFileSync(join(ROOT, path), "utf8").matchAll(/```yaml\n(version: 1\n[\s\S]*?)```/g);
    return [...blocks].map((block) => [path, block[1] ?? ""] as const);
  });

  test("are found", () => {
    expect(shown.map(([path]) => path)).toEqual(["README.md", "docs/guides/blueprints.md"]);
  });

  test.for(shown)("compile: %s", ([, text]) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-shown-")));
    copies.push(folder);
    writeFileSync(join(folder, "shown.yaml"), text);
    const planned = pawl(folder, "plan", "shown.yaml", "--json");
    expect(planned.exit, planned.stdout + planned.stderr).toBe(0);
  });

  test("are loops without a problem, where they are a pawl.yaml", () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-shown-")));
    copies.push(folder);
    const [, text = ""] =
      /```yaml\n(# pawl.yaml\n[\s\S]*?)```/.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
    writeFileSync(join(folder, "pawl.yaml"), text);
    const { loops, problems } = JSON.parse(pawl(folder, "list", "--json").stdout);
    expect([loops.map(({ name }: { name: string }) => name), problems]).toEqual([["fix-tests"], []]);
  });
});
