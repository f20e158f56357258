/** The host is killed at any moment around the start: either the program never began, or it is gone with its host. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import type { Enclosure } from "../../src/ports/sandbox.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";
import { bubblewrap, programOf } from "../support/sandbox-fixture.ts";
import { slowness } from "../support/slowness.ts";

/** Known by this: nothing else on the machine sleeps so long. */
const NAP = `777.${process.pid}`;
const TIMES = process.env["PAWL_FULL"] === "1" ? 500 : 60;

/** As a host does it, and nothing else, so that it starts quickly. */
const HOST = `
  const { argv, env } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  process.stdout.write("starting\\n");
  const child = require("node:child_process").spawn(argv[0], argv.slice(1), {
    env, detached: true, stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  child.stdio[3].on("error", () => undefined).once("data", () => child.stdio[3].write("\\n"));
`;

afterEach(removeFolders);

it.each([
  ["", ["/workspace/.git"], 45],
  [" while it is built within a fence", ["/workspace/.git/hooks"], 60],
])(`leaves no process when its host is killed%s, ${TIMES} times at all moments`, async (_, sealed, longestMs) => {
  const folder = makeFolder();
  const sandbox = bubblewrap();
  const counts = { begun: 0, never: 0 };
  for (let time = 0; time < TIMES; time += 1) {
    const program = programOf(["/bin/sh", "-c", `echo >begun; setsid sleep ${NAP} & sleep ${NAP} & wait`], {
      mounts: [{ from: folder, to: "/workspace", access: "write" }],
      cwd: "/workspace",
      sealed,
    });
    const enclosure = await sandbox.enclose(program);
    await hostAndKill(enclosure, (time / TIMES) * longestMs);
    expect(await survivors(program.key)).toEqual([]);
    const begun = join(folder, "begun");
    counts[existsSync(begun) ? "begun" : "never"] += 1;
    rmSync(begun, { force: true });
    await enclosure.close();
    expect(readdirSync(folder)).toEqual([]);
  }
  expect(Math.min(counts.begun, counts.never), JSON.stringify(counts)).toBeGreaterThan(0);
});

async function hostAndKill(enclosure: Enclosure, afterMs: number): Promise<void> {
  const host = spawn(process.execPath, ["-e", HOST], { stdio: ["pipe", "pipe", "inherit"] });
  const exit = once(host, "exit");
  host.stdin.end(JSON.stringify({ argv: enclosure.argv, env: enclosure.env }));
  await once(host.stdout, "data");
  const until = performance.now() + afterMs;
  if (afterMs > 4) await wait(afterMs - 3);
  while (performance.now() < until);
  host.kill("SIGKILL");
  await exit;
}

/** What still runs for the key a while later: the system takes a moment to end what it was told to end. */
async function survivors(key: string): Promise<readonly number[]> {
  const until = performance.now() + 3000 * slowness();
  for (;;) {
    const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && belongsTo(name, key));
    if (found.length === 0 || performance.now() > until) return found.map(Number);
    await wait(5);
  }
}

/** What builds the wall holds the key; what is behind it is known by how long it sleeps. */
function belongsTo(pid: string, key: string): boolean {
  try {
    if (/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) return false;
    return (
      readFileSync(`/proc/${pid}/environ`, "latin1").includes(`PAWL_KEY=${key}\0`) ||
      readFileSync(`/proc/${pid}/cmdline`, "latin1") === `sleep\0${NAP}\0`
    );
  } catch {
    return false;
  }
}
