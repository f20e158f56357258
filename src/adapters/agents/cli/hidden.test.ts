import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { wallOf } from "../../../../test/support/process-fixture.ts";
import type { SandboxMode } from "../../../blueprint/blueprint.ts";
import type { AgentTask } from "../../../ports/agents/agent-backend.ts";
import { hideFolders } from "./hidden.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-hidden-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function hidden(sandbox: SandboxMode, cwd: string): Promise<readonly string[]> {
  const task = { home: join(folder, "home"), process: { folder, wall: wallOf(sandbox) } } as unknown as AgentTask;
  const mounts = await hideFolders([".agent"], task, { root: "/nowhere", cwd });
  expect(mounts.every(({ access, from }) => access === "read" && from === join(folder, "home", "empty"))).toBe(true);
  return mounts.map(({ to }) => to);
}

test("an empty folder lies over the one where the agent begins, and over those above it", async () => {
  expect(await hidden("workspace_write", "/workspace/packages/a")).toEqual([
    "/workspace/.agent",
    "/workspace/packages/.agent",
    "/workspace/packages/a/.agent",
  ]);
  expect(await hidden("workspace_write", "/workspace")).toEqual(["/workspace/.agent"]);
});

test("where nothing can be written, only over those that are there", async () => {
  mkdirSync(join(folder, "packages", ".agent"), { recursive: true });
  expect(await hidden("read_only", "/workspace/packages")).toEqual(["/workspace/packages/.agent"]);
});
