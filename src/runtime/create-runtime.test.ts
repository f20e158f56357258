import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { blueprintText, ONE_STAGE, pathsBelow, projectFolder } from "../../test/support/project-folder.ts";
import type { RunId } from "../base/ids.ts";
import type { Plan } from "../plan/plan.ts";
import { readConfig } from "./config.ts";
import type { OpenOptions, Runtime } from "./runtime.ts";
import { openRuntime } from "./wire.ts";

const GOOD = { "good.yaml": blueprintText("good", ONE_STAGE) };
const UNKNOWN = "r_000000000000" as RunId;
const code = (name: string) => expect.objectContaining({ code: name });

async function open(root: string, options: Partial<OpenOptions> = {}): Promise<Runtime> {
  const config = readConfig({ flags: { root }, env: { PATH: process.env["PATH"], API_TOKEN: "hunter2-hunter2" } });
  const runtime = await openRuntime({ root, config, ...options });
  onTestFinished(() => runtime.close().catch(() => {}));
  return runtime;
}

async function planOf(runtime: Runtime, path = "good.yaml"): Promise<Plan> {
  const { plan } = await runtime.compile(path, {});
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  return plan.value;
}

/** Run ids that differ in their last characters only. */
function countingBytes(): (count: number) => Uint8Array {
  let runs = 0;
  return (count) => {
    runs += 1;
    return Uint8Array.from({ length: count }, (_, index) => (index === 11 ? runs : 1));
  };
}

async function finishedRun(runtime: Runtime): Promise<RunId> {
  const { run, ended } = await runtime.start(await planOf(runtime));
  expect(await ended).toMatchObject({ status: "succeeded" });
  return run;
}

describe("a runtime on a fresh project", () => {
  it.each([false, true])("writes nothing while it only looks (read only: %s)", async (readOnly) => {
    const root = projectFolder(GOOD);
    const runtime = await open(root, { readOnly });
    await planOf(runtime);
    expect(await runtime.list({ limit: 10 })).toEqual({ rows: [], next: null });
    for (const name of ["@last", UNKNOWN, "", "r"]) {
      await expect(runtime.find(name)).rejects.toEqual(code("RUN_NOT_FOUND"));
    }
    expect(await runtime.blueprints()).toEqual([]);
    expect(runtime.actions().length).toBeGreaterThan(0);
    expect((await runtime.doctor()).map((check) => check.name)).toContain("journal");
    await runtime.drain();
    await runtime.close();
    expect(pathsBelow(root)).toEqual(["good.yaml"]);
  });

  it("refuses a root that is not a folder", async () => {
    const root = projectFolder(GOOD);
    await expect(openRuntime({ root: join(root, "none") })).rejects.toEqual(code("PROJECT_ROOT_MISSING"));
    await expect(openRuntime({ root: join(root, "good.yaml") })).rejects.toEqual(code("PROJECT_ROOT_MISSING"));
  });

  it("makes its state with the first run: for its owner only, and invisible to git", async () => {
    const root = projectFolder(GOOD);
    await finishedRun(await open(root));
    expect(statSync(join(root, ".pawl")).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(root, ".pawl/.gitignore"), "utf8")).toBe("*\n");
    expect(pathsBelow(root).filter((path) => !path.startsWith(".pawl"))).toEqual(["good.yaml"]);
  });

  it("leaves a .gitignore that the user changed as it is", async () => {
    const root = projectFolder({ ...GOOD, ".pawl/.gitignore": "tmp\n" });
    await finishedRun(await open(root));
    expect(readFileSync(join(root, ".pawl/.gitignore"), "utf8")).toBe("tmp\n");
  });
});

describe("a runtime that only reads", () => {
  it("sees what another one wrote, and starts, resumes and changes nothing", async () => {
    const root = projectFolder(GOOD);
    const writer = await open(root);
    const run = await finishedRun(writer);
    await writer.close();
    const reader = await open(root, { readOnly: true });
    expect(await reader.find("@last")).toMatchObject({ run, status: "succeeded" });
    expect((await reader.read(run, 0, 100)).at(-1)?.event.type).toBe("run.finished");
    expect(await reader.verify(run)).toMatchObject({ intact: true });
    expect(await reader.replay(run)).toMatchObject({ equal: true });
    await expect(reader.start(await planOf(reader))).rejects.toEqual(code("JOURNAL_READ_ONLY"));
    await expect(reader.resume(run, { by: "ann" })).rejects.toEqual(code("RUN_ENDED"));
    expect((await reader.list({ limit: 10 })).rows).toHaveLength(1);
  });
});

describe("runs", () => {
  it("are shown from the store: events as they come, plan, log, output", async () => {
    const text = `version: 1\nname: loud\nworkspace: directory\npolicy: { allow: [{ run: ["echo", "**"] }] }
stages:
  - { id: a, command: ["echo", "hello"] }
`;
    const root = projectFolder({ "loud.yaml": text });
    const runtime = await open(root);
    const heard: string[] = [];
    const unlisten = runtime.onOutput((_run, stage, output) => heard.push(`${stage}: ${output.trim()}`));
    const plan = await planOf(runtime, "loud.yaml");
    const { run, ended } = await runtime.start(plan);
    const followed: string[] = [];
    for await (const { event } of runtime.follow(run, 0, new AbortController().signal)) followed.push(event.type);
    await ended;
    expect(followed).toEqual(["run.created", "run.started", "stage.started", "stage.finished", "run.finished"]);
    expect(await runtime.plan(plan.fingerprint)).toEqual(plan);
    const finished = (await runtime.read(run, 0, 100))
      .map(({ event }) => event)
      .find((e) => e.type === "stage.finished");
    if (finished?.log === undefined) throw new Error("there is no log");
    expect(Buffer.from(await runtime.log(finished.log)).toString()).toBe("hello\n");
    expect(heard).toEqual(["a: hello"]);
    unlisten();
    await (await runtime.start(plan)).ended;
    expect(heard).toHaveLength(1);
  });

  it("are found by id, by a unique prefix and as the last one; a prefix of several is refused", async () => {
    const root = projectFolder(GOOD);
    const runtime = await open(root, { randomBytes: countingBytes() });
    const one = await finishedRun(runtime);
    expect((await runtime.find(one.slice(0, 5))).run).toBe(one);
    expect((await runtime.find("r_")).run).toBe(one);
    const two = await finishedRun(runtime);
    expect((await runtime.find(one)).run).toBe(one);
    expect((await runtime.find("@last")).run).toBe(two);
    await expect(runtime.find(one.slice(0, 13))).rejects.toMatchObject({
      code: "RUN_AMBIGUOUS",
      message: expect.stringContaining(`${one}, ${two}`),
    });
    for (const name of [`${one}x`, "x", "@first", "%", "_"]) {
      await expect(runtime.find(name)).rejects.toEqual(code("RUN_NOT_FOUND"));
    }
  });

  it("are never found by no name at all, even when there is only one", async () => {
    const runtime = await open(projectFolder(GOOD));
    await finishedRun(runtime);
    await expect(runtime.find("")).rejects.toEqual(code("RUN_NOT_FOUND"));
  });
});

describe("a secret in the plan", () => {
  it.each([
    ["by its shape", 'command: ["true", "--password=correct-horse-battery-staple"]'],
    ["by its value", 'command: ["true", "hunter2-hunter2"]'],
  ])("is refused %s, and nothing is stored", async (_how, stage) => {
    const root = projectFolder({ "a.yaml": blueprintText("a", `stages:\n  - { id: a, ${stage} }\n`) });
    const runtime = await open(root);
    const plan = await planOf(runtime, "a.yaml");
    for (let turn = 0; turn < 2; turn += 1) {
      await expect(runtime.start(plan)).rejects.toEqual(code("RUN_SECRET_IN_PLAN"));
    }
    expect(existsSync(join(root, ".pawl"))).toBe(false);
  });

  it("is refused in a parameter", async () => {
    const text = blueprintText("a", `params: { note: { type: string } }\n${ONE_STAGE}`);
    const runtime = await open(projectFolder({ "a.yaml": text }));
    const { plan } = await runtime.compile("a.yaml", { params: { note: "hunter2-hunter2" } });
    if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
    await expect(runtime.start(plan.value)).rejects.toEqual(code("RUN_SECRET_IN_PLAN"));
  });
});

describe("a start", () => {
  const walled = (sandbox: string) => ({
    "good.yaml": blueprintText("good", `defaults: { sandbox: ${sandbox} }\n${ONE_STAGE}`),
  });

  it("without a sandbox happens only where it is allowed", async () => {
    const runtime = await open(projectFolder(walled("danger_full_access")));
    const plan = await planOf(runtime);
    await expect(runtime.start(plan)).rejects.toEqual(code("RUN_DANGER_REFUSED"));
    const { ended } = await runtime.start(plan, { danger: true });
    expect(await ended).toMatchObject({ status: "succeeded" });
  });

  it("is refused where the machine cannot build the sandbox, and nothing is stored", async () => {
    const root = projectFolder(walled("read_only"));
    const config = readConfig({ flags: { root }, env: { PATH: process.env["PATH"], PAWL_BWRAP: "/nowhere/bwrap" } });
    const runtime = await open(root, { config });
    await expect(runtime.start(await planOf(runtime), { danger: true })).rejects.toEqual(code("SANDBOX_UNAVAILABLE"));
    expect(existsSync(join(root, ".pawl"))).toBe(false);
    expect((await runtime.doctor()).find((check) => check.name === "sandbox")).toMatchObject({ status: "fail" });
  });
});

describe("close", () => {
  it("can be called twice, at once, and without a store", async () => {
    const unused = await open(projectFolder());
    await unused.close();
    await unused.close();
    const runtime = await open(projectFolder(GOOD));
    await finishedRun(runtime);
    await Promise.all([runtime.close(), runtime.close()]);
    await runtime.close();
    await expect(runtime.start(await planOf(runtime))).rejects.toEqual(code("JOURNAL_CLOSED"));
  });

  it("ends processes and leaves runs resumable", async () => {
    const text = `version: 1\nname: slow\nworkspace: directory\npolicy: { allow: [{ run: ["sleep", "**"] }] }
stages:
  - { id: a, command: ["sleep", "30"], effect: idempotent }
`;
    const root = projectFolder({ "slow.yaml": text });
    const runtime = await open(root);
    const { run, ended } = await runtime.start(await planOf(runtime, "slow.yaml"));
    await runtime.close();
    expect(await ended).toMatchObject({ status: "running", reason: null });
    const next = await open(root);
    expect(await next.find(run)).toMatchObject({ status: "running", holder: null });
    expect(await next.cancel(run, "ann")).toBe("ended");
    expect(await next.find(run)).toMatchObject({ status: "cancelled" });
  });

  it("is quiet about a store that could not be opened: whoever opened it was told", async () => {
    const root = projectFolder({
      ".pawl/pawl.db": "this is not a database, and long enough to be sure of it\n".repeat(50),
    });
    await expect(open(root)).rejects.toMatchObject({ code: expect.stringMatching(/^JOURNAL_/) });
    const runtime = await open(root, { evenLost: true });
    await expect(runtime.list({ limit: 1 })).rejects.toMatchObject({ code: expect.stringMatching(/^JOURNAL_/) });
    expect((await runtime.doctor()).find((check) => check.name === "journal")).toMatchObject({ status: "fail" });
    await runtime.drain();
    await runtime.close();
    await runtime.close();
  });
});
