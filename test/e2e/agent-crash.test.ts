/** The host of an agent is killed in the middle of its work: whoever resumes the run goes on with the session that was kept. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { RunEvent, StoredEvent } from "../../src/run/events.ts";
import { commitFiles } from "../support/git-project.ts";
import { makeFolder, processesWith, removeFolders } from "../support/process-fixture.ts";

const CLI = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "dist", "cli", "main.js");
afterAll(removeFolders);

/** Says its session, and works for ever; one that goes on says with what. */
const AGENT = `printf '{"type":"session","session":"%s"}\\n' "\${PAWL_SESSION:-kept-by-the-host}"
echo half > src/half.txt
if [ -z "$PAWL_SESSION" ]; then sleep 4711; fi
printf '{"type":"result","text":"went on with %s"}\\n' "$PAWL_SESSION"
`;
const BLUEPRINT = `version: 1
name: crash
policy: { allow: [{ run: ["**"] }, { read: "**" }, { edit: "src/**" }] }
stages:
  - { id: fix, agent: { use: command, run: ["sh", "agent.sh"], goal: "Repair it." }, timeout: 1m }
`;

function sessionKept(root: string): boolean {
  const dir = join(root, ".pawl", "agents");
  if (!existsSync(dir)) return false;
  return readdirSync(dir, { recursive: true }).some(
    (name) =>
      String(name).endsWith("session.json") && readFileSync(join(dir, String(name)), "utf8").includes("kept-by"),
  );
}

describe("an agent whose host is killed", { timeout: 600_000 }, () => {
  it("A16: goes on with its session, from the tree that its stage began with, and leaves no process behind", async () => {
    const root = makeFolder();
    commitFiles(root, { "src/a.txt": "a", "agent.sh": AGENT, "blueprint.yaml": BLUEPRINT });
    const host = spawn(process.execPath, [CLI, "-C", root, "run", "blueprint.yaml"], { stdio: "ignore" });
    const gone = once(host, "close");
    while (!sessionKept(root)) await new Promise((resolve) => setTimeout(resolve, 50));
    host.kill("SIGKILL");
    await gone;
    const resumed = spawnSync(process.execPath, [CLI, "-C", root, "resume", "@last", "--json"], { encoding: "utf8" });
    expect({ exit: resumed.status, stderr: resumed.stderr }).toEqual({ exit: 0, stderr: "" });
    const { stdout } = spawnSync(process.execPath, [CLI, "-C", root, "events", "@last", "--json"], {
      encoding: "utf8",
    });
    const events: readonly RunEvent[] = (JSON.parse(stdout) as { events: StoredEvent[] }).events.map(
      ({ event }) => event,
    );
    expect(events.map(({ type }) => type)).toContain("stage.interrupted");
    expect(events.findLast(({ type }) => type === "stage.finished")).toMatchObject({
      attempt: 2,
      outcome: "success",
      output: "went on with kept-by-the-host",
      session: "kept-by-the-host",
    });
    expect(processesWith("4711")).toEqual([]);
    const transcript = spawnSync(process.execPath, [CLI, "-C", root, "logs", "@last", "--transcript"], {
      encoding: "utf8",
    });
    expect(transcript.stdout).toContain('"session":"kept-by-the-host"');
    const homes = join(root, ".pawl", "agents");
    expect(existsSync(homes) ? readdirSync(homes) : []).toEqual([]);
  });
});
