import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CALM } from "../../../../test/support/gateway/calm.ts";
import { formatRunId } from "../../../base/ids.ts";
import type { AgentTask } from "../../../ports/agents/agent-backend.ts";
import { requestOf } from "./launch.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-claude-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const NO_USE = { usage: { tokens: 0, microUsd: 0 }, calls: 0, refused: 0, missed: 0, parkedUntil: null };
const door = { env: { ANTHROPIC_API_KEY: "pawl-token" }, socket: "/s/models", ...CALM, close: async () => NO_USE };
const resources = { memoryBytes: null, cpuMs: null, processes: null, fileBytes: null, outputBytes: null };

function taskOf(change: Partial<AgentTask>): AgentTask {
  return {
    ...{ prompt: "Do it.", system: null, model: null, maxTurns: null, schema: null, toolset: null, settings: {} },
    ...{ session: null, goesOn: null, home, round: 1, lastError: null, door },
    process: {
      ...{
        run: formatRunId(new Uint8Array(12)),
        stage: "fix",
        attempt: 1,
        key: "k",
        folder: "/w",
        project: "",
        cwd: ".",
      },
      ...{ mounts: [{ from: "/o", to: "/run/o", access: "read" as const }], inputs: {}, strip: [], outputs: [] },
      ...{ wall: { sandbox: "workspace_write" as const, network: [], resources }, timeoutMs: 1, stallMs: null },
    },
    ...change,
  };
}

const launchOf = (change: Partial<AgentTask> = {}, ahead: Parameters<typeof requestOf>[1]["ahead"] = null) =>
  requestOf(taskOf(change), { program: "/opt/claude", newSession: "new", door, ahead });

/** The value behind an option. */
function optionIn(argv: readonly string[], name: string): string | undefined {
  return argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined;
}

describe("how Claude Code is started", () => {
  test("with nothing of the repository, the user or the network", async () => {
    const { argv, env } = await launchOf();
    for (const option of ["--setting-sources=", "--strict-mcp-config", "--disable-slash-commands", "-p"])
      expect(argv).toContain(option);
    expect(optionIn(argv, "--permission-mode")).toBe("default");
    expect(optionIn(argv, "--permission-prompt-tool")).toBe("stdio");
    expect(env).toEqual({
      CLAUDE_CONFIG_DIR: "/run/pawl/agent/home",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_MAX_RETRIES: "0",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
      CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
      CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
      ANTHROPIC_API_KEY: "pawl-token",
    });
  });

  test("behind the wall, with its program and its own folder and no more", async () => {
    const { mounts, modelSocket, capture } = await launchOf();
    expect(mounts).toEqual([
      { from: "/o", to: "/run/o", access: "read" },
      { from: "/opt/claude", to: "/run/pawl/agent/claude", access: "read" },
      { from: join(home, "claude"), to: "/run/pawl/agent/home", access: "write" },
    ]);
    expect({ modelSocket, capture }).toEqual({ modelSocket: "/s/models", capture: "none" });
    expect(existsSync(join(home, "claude"))).toBe(true);
  });

  test("with a session of its own, or the one that it goes on with", async () => {
    const fresh = (await launchOf()).argv;
    expect([optionIn(fresh, "--session-id"), optionIn(fresh, "--resume")]).toEqual(["new", undefined]);
    const session = "11111111-2222-4333-8444-555555555555";
    const folder = join(home, "claude/projects/-workspace");
    const chosen = async (kept: string | null, name = session): Promise<unknown> => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      if (kept !== null) writeFileSync(join(folder, `${session}.jsonl`), kept);
      const { argv } = await launchOf({ session: name });
      return { begins: optionIn(argv, "--session-id"), goesOn: optionIn(argv, "--resume") };
    };
    expect(await chosen('{"type":"x"}\n{"a":1,"type":"user"}\n')).toEqual({ begins: undefined, goesOn: session });
    // Nothing of it was kept: it begins again. What is torn, and what is no session, is left alone.
    expect(await chosen(null)).toEqual({ begins: session, goesOn: undefined });
    expect(await chosen('{"type":"x"}\n')).toEqual({ begins: "new", goesOn: undefined });
    expect(await chosen(null, "../../other")).toEqual({ begins: "new", goesOn: undefined });
  });

  test("with what the task says, and every model that it may ask for is the same", async () => {
    const { argv, env } = await launchOf({ model: "smart", maxTurns: 7, schema: { type: "object" } });
    const options = ["--model", "--max-turns", "--json-schema"].map((name) => optionIn(argv, name));
    expect(options).toEqual(["smart", "7", '{"type":"object"}']);
    const models = Object.entries(env).flatMap(([name, value]) => (value === "smart" ? [name] : []));
    expect(models.sort()).toEqual([
      "ANTHROPIC_DEFAULT_HAIKU_MODEL",
      "ANTHROPIC_DEFAULT_OPUS_MODEL",
      "ANTHROPIC_DEFAULT_SONNET_MODEL",
      "ANTHROPIC_SMALL_FAST_MODEL",
      "CLAUDE_CODE_SUBAGENT_MODEL",
    ]);
  });

  test("with what was decided of the call that it begins with", async () => {
    const mount = { from: "/g", to: "/run/pawl/agent/gate", access: "read" as const };
    const hooks = { PreToolUse: [] };
    const call = { id: "toolu_1", tool: "Write", input: {} };
    const ahead = { mount, hooks, call, file: null, open: async () => undefined };
    const { argv, mounts } = await launchOf({ session: "old" }, ahead);
    expect(argv[0]).toBe("/run/pawl/agent/claude");
    const aged = await launchOf({ session: "old" }, { ...ahead, file: "/workspace/a b" });
    expect([...aged.argv.slice(0, 2), ...aged.argv.slice(3, 6)]).toEqual([
      ...["/bin/sh", "-c", "sh", "/workspace/a b", "/run/pawl/agent/claude"],
    ]);
    expect(JSON.parse(optionIn(argv, "--settings") ?? "")).toMatchObject({ hooks });
    expect(mounts.at(-1)).toEqual(mount);
    expect(JSON.parse(optionIn((await launchOf()).argv, "--settings") ?? "")).not.toHaveProperty("hooks");
  });
});
