/** What examples/serve ships is really run: the unit of systemd, the container, and a delivery signed as the guide says. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { delimiter } from "node:path/posix";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { BIN, createProject, eventually, type Project } from "../support/cli.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SHIPPED = join(ROOT, "examples", "serve");
const shipped = (name: string): string => readFileSync(join(SHIPPED, name), "utf8");

const QUICK = `version: 1
name: quick
policy: { allow: [ { action: file.append } ] }
stages:
  - { id: note, action: file.append, with: { path: count.txt, line: done } }
`;

interface Line {
  readonly type: string;
  readonly url?: string | null;
}

let project: Project;
beforeEach(() => {
  project = createProject({
    "quick.yaml": QUICK,
    "pawl.yaml":
      "loops:\n  often: { blueprint: quick.yaml, every: 1s }\n  on-build: { blueprint: quick.yaml, webhook: { secret_file: secrets/build.txt } }\n",
    "secrets/build.txt": "a secret of some length\n",
    // The command as it is installed.
    "bin/pawl": `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`,
  });
  chmodSync(join(project.root, "bin", "pawl"), 0o755);
});
afterEach(() => project.remove());

/** Key → value of one section of a unit. */
function sectionOf(unit: string, section: string): Readonly<Record<string, string>> {
  const text = unit.split(/^\[/m).find((part) => part.startsWith(`${section}]`)) ?? "";
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = "", value = ""]) => [key, value]));
}

/** Instruction → what follows it, of the last of each. */
function instructionsOf(containerfile: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...containerfile.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, key = "", value = ""]) => [key, value]),
  );
}

function linesOf(text: string): readonly Line[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

/** A command as a service manager starts it: in the project, with nothing but a path and a home. */
function start([program = "", ...args]: readonly string[]) {
  const path = [join(project.root, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  const child = spawn(program, args, {
    cwd: project.root,
    env: { PATH: path, HOME: project.root },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return { child, ended, lines: () => linesOf(stdout), said: () => stderr };
}

const types = (lines: readonly Line[]): readonly string[] => lines.map(({ type }) => type);

async function expectServes(command: readonly string[], signal: NodeJS.Signals): Promise<void> {
  const { child, ended, lines, said } = start(command);
  await eventually(() => types(lines()).includes("run.ended"), `a loop has run: ${said()}`, 60_000);
  child.kill(signal);
  // Whoever starts it again on failure leaves it alone now.
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(types(lines()).at(-1)).toBe("serve.stopped");
  expect(types(lines())).not.toContain("loop.failed");
}

describe("examples/serve", () => {
  test("holds a unit and a container", () => {
    expect(readdirSync(SHIPPED).toSorted()).toEqual(["Containerfile", "compose.yaml", "pawl.service"]);
  });

  test("has a unit that systemd understands to the last line", ({ skip }) => {
    if (!existsSync("/usr/bin/systemd-analyze")) skip("there is no systemd here: its command is run below");
    const env = { PATH: "/usr/bin:/bin", HOME: project.root, XDG_RUNTIME_DIR: project.root };
    const { status, stdout, stderr } = spawnSync(
      "/usr/bin/systemd-analyze",
      ["verify", "--user", "--man=no", join(SHIPPED, "pawl.service")],
      { encoding: "utf8", env },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("has a unit whose command serves, and ends well by its signal", async () => {
    const { ExecStart = "", KillSignal, Restart, WorkingDirectory } = sectionOf(shipped("pawl.service"), "Service");
    expect({ KillSignal, Restart, WorkingDirectory }).toEqual({
      KillSignal: "SIGINT",
      Restart: "on-failure",
      WorkingDirectory: "%h/project",
    });
    await expectServes(ExecStart.split(" "), "SIGINT");
  });

  test("has a container whose command serves, and ends well by its signal", async () => {
    const { ENTRYPOINT = "[]", STOPSIGNAL, WORKDIR, USER } = instructionsOf(shipped("Containerfile"));
    expect({ STOPSIGNAL, WORKDIR, USER }).toEqual({ STOPSIGNAL: "SIGINT", WORKDIR: "/project", USER: "node" });
    const { services } = parse(shipped("compose.yaml")) as {
      services: { pawl: { build: { dockerfile: string }; volumes: readonly string[] } };
    };
    expect(existsSync(join(SHIPPED, services.pawl.build.dockerfile))).toBe(true);
    expect(services.pawl.volumes.map((volume) => volume.split(":").at(-1))).toEqual([WORKDIR]);
    await expectServes(JSON.parse(ENTRYPOINT) as readonly string[], "SIGINT");
  });

  test("is told of deliveries by the command of the guide; a second with the same id is known", async () => {
    project.write(
      "pawl.yaml",
      "loops:\n  on-build: { blueprint: quick.yaml, webhook: { secret_file: secrets/build.txt } }\n",
    );
    const guide = readFileSync(join(ROOT, "docs", "guides", "schedules.md"), "utf8");
    const [, shown = ""] = /```sh\n(t=\$\(date[\s\S]*?)```/.exec(guide) ?? [];
    const { child, ended, lines, said } = start(["pawl", "serve", "--jsonl"]);
    await eventually(() => types(lines()).includes("serve.ready"), `it serves: ${said()}`, 60_000);
    const url = new URL(lines().find(({ type }) => type === "serve.ready")?.url ?? "");
    const deliver = (script: string) =>
      spawnSync("/bin/sh", ["-c", script.replace("PORT", url.port)], { cwd: project.root, encoding: "utf8" }).stdout;
    expect(deliver(shown)).toBe("accepted\n");
    expect(deliver(shown)).toBe("known\n");
    expect(deliver(shown.replace("cat secrets/build.txt", "echo another secret of length"))).toBe(
      "its signature is wrong\n",
    );
    await eventually(() => types(lines()).includes("run.ended"), "it has run", 60_000);
    child.kill("SIGINT");
    await ended;
    expect(types(lines()).filter((type) => type === "slot.fired")).toHaveLength(1);
  });
});
