import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pathsBelow, projectFolder } from "../../test/support/project-folder.ts";
import { createMemoryStore } from "../adapters/memory/store.ts";
import { createSystemClock } from "../adapters/system/clock.ts";
import type { AgentBackends } from "../ports/agents/agent-backend.ts";
import type { SandboxReport } from "../ports/sandbox.ts";
import type { Store } from "../ports/store/store.ts";
import { createAgentBackends } from "./agents/registry.ts";
import { examine } from "./doctor.ts";
import type { DoctorCheck } from "./runtime.ts";

const closed = (): never => {
  throw new Error("the store must not be opened");
};

async function checksOf(
  root: string,
  open: () => Promise<{ store: Store }> = closed,
  sandbox: SandboxReport = { name: "bubblewrap 1.0", missing: null, hint: null },
  agents: AgentBackends = createAgentBackends([]),
): Promise<Record<string, DoctorCheck>> {
  const checks = await examine(
    {
      ...{ root, statePath: join(root, ".pawl"), sandbox: { check: async () => sandbox }, agents },
      openLoops: () => Promise.reject(new Error("there are no loops")),
      requireState: () => undefined,
    },
    open,
  );
  expect(checks.map((check) => check.name)).toEqual([
    "node",
    "project",
    "state",
    "journal",
    "sandbox",
    "git",
    "processes",
  ]);
  for (const { status, hint, detail } of checks) {
    expect(detail).not.toBe("");
    expect(hint === null).toBe(status === "ok");
  }
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

function storeWith(change: Partial<Store> = {}): () => Promise<{ store: Store }> {
  return async () => ({ store: { ...createMemoryStore({ clock: createSystemClock() }), ...change } });
}

function withState(mode = 0o700): string {
  const root = projectFolder();
  mkdirSync(join(root, ".pawl"));
  writeFileSync(join(root, ".pawl/pawl.db"), "");
  chmodSync(join(root, ".pawl"), mode);
  return root;
}

describe("examine", () => {
  it("says that a repository without a commit has nothing that a run could begin with", async () => {
    const root = projectFolder();
    execFileSync("git", ["init", "-q", root]);
    expect((await checksOf(root))["git"]).toMatchObject({ status: "warn", detail: `${root} has no commit yet` });
    const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
    execFileSync("git", ["-C", root, ...who, "commit", "-q", "--allow-empty", "-m", "first"]);
    expect((await checksOf(root))["git"]).toMatchObject({ status: "ok" });
  });

  it("T15: refuses a folder on a network file system, and warns of one that may be shared", async () => {
    const states = async (root: string, type: number) => {
      const parts = { root, statePath: join(root, ".pawl"), fileSystem: () => type };
      const sandbox = { check: async () => ({ name: "bubblewrap 1.0", missing: null, hint: null }) };
      const openLoops = () => Promise.reject(new Error("there are no loops"));
      const checks = await examine(
        { ...parts, sandbox, agents: createAgentBackends([]), openLoops, requireState: () => undefined },
        storeWith(),
      );
      return checks.find(({ name }) => name === "state");
    };
    for (const root of [projectFolder(), withState()]) {
      expect(await states(root, 0x6969)).toMatchObject({ status: "fail", detail: expect.stringContaining("(NFS)") });
      expect(await states(root, 0x65735546)).toMatchObject({
        status: "warn",
        detail: expect.stringContaining("(FUSE)"),
      });
      expect(await states(root, 0xef53)).toMatchObject({ status: "ok" });
    }
  });

  it("finds nothing wrong with a fresh project, opens no store and writes nothing", async () => {
    const root = projectFolder();
    const checks = await checksOf(root);
    expect(checks["node"]).toMatchObject({ status: "ok", detail: `Node.js ${process.versions.node}` });
    expect([checks["project"], checks["state"], checks["journal"]].map((check) => check?.status)).toEqual([
      "ok",
      "ok",
      "ok",
    ]);
    expect(pathsBelow(root)).toEqual([]);
  });

  it("says that a project cannot be written", async () => {
    const { project } = await checksOf(join(projectFolder(), "not/there"));
    expect(project).toMatchObject({ status: "fail", hint: expect.stringContaining("writable") });
  });

  it("warns of a state directory that others can read, and says the command that closes it", async () => {
    expect((await checksOf(withState(), storeWith()))["state"]).toMatchObject({ status: "ok" });
    for (const mode of [0o750, 0o705, 0o777]) {
      const root = withState(mode);
      const { state } = await checksOf(root, storeWith());
      expect(state).toMatchObject({
        status: "warn",
        hint: expect.stringContaining(`chmod 700 ${join(root, ".pawl")}`),
      });
    }
  });

  it("says that something else has the name of the state directory", async () => {
    const root = projectFolder();
    writeFileSync(join(root, ".pawl"), "");
    expect((await checksOf(root))["state"]).toMatchObject({ status: "fail", detail: `${root}/.pawl is not a folder` });
  });

  it("asks the store whether it is intact", async () => {
    expect((await checksOf(withState(), storeWith()))["journal"]).toMatchObject({ status: "ok" });
    const problems = ["page 1", "page 2", "page 3", "page 4"];
    const { journal } = await checksOf(withState(), storeWith({ integrity: async () => problems }));
    expect(journal).toMatchObject({ status: "fail", detail: expect.stringContaining("page 1; page 2; page 3") });
  });

  it("makes a finding of a store that cannot be opened, or whatever else is thrown", async () => {
    for (const thrown of [new Error("newer version"), "newer version"]) {
      const { journal } = await checksOf(withState(), () => Promise.reject(thrown));
      expect(journal).toMatchObject({ status: "fail", detail: "newer version" });
    }
    const broken = storeWith({ integrity: () => Promise.reject(new Error("malformed")) });
    expect((await checksOf(withState(), broken))["journal"]).toMatchObject({ status: "fail", detail: "malformed" });
  });

  it("says whether leftovers of a stage can be found on this machine", async () => {
    const { processes } = await checksOf(projectFolder());
    expect(processes?.status).toBe(process.platform === "linux" ? "ok" : "warn");
  });

  it("fails without a sandbox, and says what to do", async () => {
    const missing = { name: "bubblewrap", missing: "there is no bubblewrap", hint: "apt-get install bubblewrap" };
    const { sandbox } = await checksOf(projectFolder(), closed, missing);
    expect(sandbox).toEqual({ name: "sandbox", status: "fail", detail: missing.missing, hint: missing.hint });
    expect((await checksOf(projectFolder(), closed, { ...missing, hint: null }))["sandbox"]?.hint).toContain("Install");
  });
});
