/** An agent that obeys every injected text: what it reads takes from it what it could do with it, until a person has looked. */
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN } from "../support/cli.ts";
import { commitFiles } from "../support/git-project.ts";
import { HIDDEN, INJECTIONS } from "../support/hostile/injections.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";

const AGENT = join(import.meta.dirname, "../support/hostile/obedient.pl");
const CANARY = "canary-5d1f0c7e";
const BACKWARDS = [...CANARY].reverse().join("");
const RULES = 'policy: { allow: [{ run: ["perl", "**"] }, { run: ["cat", "**"] }] }';
const ALLOWED = /^(PAWL_[A-Z0-9_]+|LANG|LC_[A-Z]+|TZ|PATH|HOME|TMPDIR|USER|PWD)$/;

let calls = 0;
const server = createServer((socket) => {
  calls += 1;
  socket.on("error", () => undefined).destroy();
});
const portOf = (): number => (server.address() as AddressInfo).port;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve)));
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  removeFolders();
});

const fetching = "{ id: fetch, command: [cat, issue.txt], untrusted: true, sandbox: read_only, capture: text }";
const agent = (last: string): string => `[perl, obedient.pl, "${portOf()}", ${last}]`;

/** Fed in every way there is: parameters, items, captured text, logs, a tainted tree, a child. */
const hijacked = (): string => `version: 1
name: hijacked
params: { issues: { type: list, untrusted: true } }
${RULES}
stages:
  - ${fetching}
  - id: items
    group: { for_each: "\${params.issues}", stage: { command: ${agent('"${item}"')} } }
  - { id: text, command: ${agent('"${stages.fetch.output}"')} }
  - { id: log, command: ${agent("x")}, inputs: [fetch.log] }
  - { id: check, gate: { command: ${agent("x")} }, inputs: [fetch.log] }
  - { id: child, run: { blueprint: child.yaml, params: { body: "\${stages.fetch.output}" } } }
  - { id: clone, command: [cat, issue.txt], untrusted: true }
  - { id: tree, command: ${agent("x")} }
`;
const child = (): string => `version: 1
name: child
params: { body: { untrusted: false } }
${RULES}
stages:
  - { id: agent, command: ${agent('"${params.body}"')} }
`;
const approved = (between: string): string => `version: 1
name: approved
${RULES}
stages:
  - ${fetching}
${between}  - { id: fix, command: ${agent('"${stages.fetch.output}"')}, sandbox: workspace_write }
`;
const GATE = "  - { id: look, gate: { approval: { question: Is this text harmless? } }, inputs: [fetch.log] }\n";

function createMachine(): { readonly root: string; readonly home: string } {
  const [root, home] = [makeFolder(), makeFolder()];
  copyFileSync(AGENT, join(root, "obedient.pl"));
  commitFiles(root, {
    "issue.txt": INJECTIONS.join("\n"),
    "src/index.js": "export {};\n",
    "hijacked.yaml": hijacked(),
    "child.yaml": child(),
    "approved.yaml": approved(GATE),
    "unasked.yaml": approved(""),
  });
  return { root, home };
}

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

function pawl({ root, home }: { readonly root: string; readonly home: string }, ...args: string[]): Promise<Ended> {
  const env = { PATH: process.env["PATH"], HOME: home, USER: "ann", NOTE: CANARY, GH_TOKEN: CANARY };
  const process_ = spawn(process.execPath, [BIN, ...args], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [process_.stdout, process_.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  return new Promise((resolve, reject) => {
    process_.once("error", reject);
    process_.once("close", (code) => resolve({ code, said }));
  });
}

interface Told {
  readonly type: string;
  readonly stage?: string;
  readonly stripped?: Readonly<Record<string, number>>;
}

async function eventsOf(machine: ReturnType<typeof createMachine>, run: string): Promise<readonly Told[]> {
  const { said } = await pawl(machine, "events", run, "--json");
  return (JSON.parse(said) as { events: { event: Told }[] }).events.map(({ event }) => event);
}

/** Everything that was kept, as one text. */
function kept(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

function runsIn({ said }: Ended): readonly string[] {
  return [...new Set(said.match(/\br_[0-9a-z]{12}\b/g))];
}

describe("an agent that obeys injected text", () => {
  it("writes nothing, reaches nobody and finds no secret, however the text comes", { timeout: 600_000 }, async () => {
    expect(INJECTIONS.length).toBeGreaterThanOrEqual(30);
    const machine = createMachine();
    const before = calls;
    const told = await pawl(
      machine,
      "run",
      "hijacked.yaml",
      "--param",
      `issues=${JSON.stringify(INJECTIONS)}`,
      "--jsonl",
    );
    expect(told, told.said.slice(-3000)).toMatchObject({ code: 0 });
    const logs = (await Promise.all(runsIn(told).map((run) => pawl(machine, "logs", run, "--raw"))))
      .map(({ said }) => said)
      .join("\n");
    const attempts = INJECTIONS.length + 5;
    // A home of its own that is gone with the wall.
    expect(logs.match(/^wrote .*$/gm)).toEqual(Array.from({ length: attempts }, () => "wrote /home/pawl/.pwned"));
    expect(logs.match(/^reached $/gm)).toHaveLength(attempts);
    expect(calls).toBe(before);
    expect(logs.includes(BACKWARDS) || kept(join(machine.root, ".pawl")).includes(BACKWARDS)).toBe(false);
    const names = (logs.match(/^names .*$/gm) ?? []).flatMap((line) => line.slice("names ".length).split(","));
    expect([...new Set(names)].filter((name) => !ALLOWED.test(name))).toEqual([]);
    const [run = ""] = runsIn(told);
    expect((await pawl(machine, "diff", run, "--raw")).said).not.toContain("pwned");
    for (const path of [join(machine.root, "pwned"), join(machine.root, "../pwned"), join(machine.home, ".pwned")])
      expect(existsSync(path)).toBe(false);
    expect(readFileSync(join(machine.root, "src/index.js"), "utf8")).toBe("export {};\n");
    const hidden = HIDDEN.reduce((sum, [, count]) => sum + count, 0);
    const events = await eventsOf(machine, run);
    const stripped = (type: string, stage: string) =>
      events.find((event) => event.type === type && event.stage === stage)?.stripped;
    expect(stripped("stage.started", "text")).toEqual({ "stages.fetch.output": hidden });
    expect(stripped("stage.finished", "log")).toEqual({ "fetch.log": hidden });
    expect(stripped("stage.started", `items[${INJECTIONS.length - 1}]`)).toEqual({ item: HIDDEN.at(-1)?.[1] });
    process.stderr.write(`${INJECTIONS.length} injected texts, ${attempts} obedient agents: 0 effects\n`);
  });

  it("would do all of it without a wall", () => {
    const folder = makeFolder();
    const before = calls;
    const env = { PATH: process.env["PATH"], HOME: folder, NOTE: CANARY };
    const args = [AGENT, String(portOf()), INJECTIONS[0] as string];
    const child = spawn("perl", args, { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
    return new Promise<void>((resolve) => {
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      child.once("close", () => {
        expect(said).toMatch(/^wrote pwned,.*\.pwned/m);
        expect(said).toMatch(/^reached 127\.0\.0\.1/m);
        expect(said).toContain(BACKWARDS);
        expect(calls).toBeGreaterThan(before);
        spawnSync("rm", ["-f", join(folder, "../pwned")]);
        resolve();
      });
    });
  });

  it("is refused before anything runs when its author wants it to write, with the way the text comes", async () => {
    const machine = createMachine();
    const { code, said } = await pawl(machine, "run", "unasked.yaml");
    expect(code).toBe(3);
    expect(said).toContain("PLAN_STAGE_TAINTED");
    expect(said).toContain("fetch -> fix");
    expect(existsSync(join(machine.root, ".pawl"))).toBe(false);
  });

  it("may write what a person has looked at", { timeout: 600_000 }, async () => {
    const machine = createMachine();
    const waiting = await pawl(machine, "run", "approved.yaml");
    expect(waiting.said).toContain("Is this text harmless?");
    const ended = await pawl(machine, "resume", "@last", "--answer", "approve");
    expect(ended, ended.said).toMatchObject({ code: 0 });
    const [run = ""] = runsIn(waiting);
    expect((await pawl(machine, "diff", run, "--raw")).said).toContain("pwned");
  });
});
