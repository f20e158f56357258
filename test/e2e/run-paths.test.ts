/** Loops that share paths do not run at the same time, whoever starts them. */
import { expect, onTestFinished, test } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

const SLOW = `version: 1
name: slow
workspace: directory
policy: { allow: [{ run: [sleep, "**"] }] }
params: { seconds: { default: "0" } }
stages:
  - { id: wait, command: [sleep, "\${params.seconds}"], effect: idempotent }
`;
const loop = (name: string, seconds: string, paths: string, level = "L2"): string =>
  `  ${name}: { blueprint: slow.yaml, level: ${level}, paths: [${paths}], params: { seconds: "${seconds}" } }\n`;
const LOOPS = `loops:\n${loop("long", "60", '"src/**"')}${loop("same", "0", "src/a.ts")}${loop("apart", "0", "docs/a.md")}${loop("reads", "0", "src/a.ts", "L1")}`;

function folder(): Project {
  const project = createProject({ "slow.yaml": SLOW, "pawl.yaml": LOOPS });
  onTestFinished(() => project.remove());
  return project;
}

const run = (name: string): string[] => ["run", name, "--unearned", "a test"];

async function runsOf(project: Project): Promise<number> {
  const { value } = await project.json("status");
  return (value as { runs: unknown[] }).runs.length;
}

test("L11: a loop that a person runs waits for another that has its paths, says for which, and begins when that is over", async () => {
  const project = folder();
  const long = project.start(...run("long"));
  await long.until("wait");
  const same = project.start(...run("same"));
  await same.until("waiting: it waits for the path lock of loop long (src/a.ts meets src/**)");
  // Others do not wait for it.
  for (const name of ["apart", "reads"]) expect((await project.pawl("run", name)).code).not.toBe(130);
  expect(await runsOf(project)).toBe(3);
  long.child.kill("SIGINT");
  expect((await long.ended).code).toBe(130);
  expect((await same.ended).stdout).toContain("run r_");
  expect(await runsOf(project)).toBe(4);
}, 600_000);

test.each([
  ["SIGINT", 130],
  ["SIGKILL", null],
] as const)(
  "L11: %s ends the wait, nothing was begun, and nobody waits behind it any more",
  async (signal, code) => {
    const project = folder();
    const long = project.start(...run("long"));
    await long.until("wait");
    const same = project.start(...run("same"));
    await same.until("path lock of loop long");
    same.child.kill(signal);
    expect((await same.ended).code).toBe(code);
    expect(await runsOf(project)).toBe(1);
    long.child.kill("SIGINT");
    await long.ended;
    expect((await project.pawl(...run("same"))).stderr).not.toContain("waiting");
  },
  120_000,
);

test("L11: a run that a person goes on with waits for a loop that has its paths now", async () => {
  const project = folder();
  const first = project.start(...run("long"));
  await first.until("wait");
  first.child.kill("SIGTERM");
  await first.ended;
  const second = project.start(...run("long"));
  await second.until("wait");
  for (const more of [
    ["resume", "@2"],
    ["fork", "@2@wait"],
  ]) {
    const [stopped] = (
      (await project.json("status")).value as { runs: { run: string; status: string; holder: unknown }[] }
    ).runs.filter(({ status, holder }) => status === "running" && holder === null);
    const args = more.map((word) => word.replace("@2", stopped?.run ?? ""));
    const again = project.start(...args);
    await again.until("waiting: it waits for the path lock of loop long (src/**)");
    again.child.kill("SIGINT");
    expect((await again.ended).code).toBe(130);
  }
  expect(await runsOf(project)).toBe(2);
  second.child.kill("SIGINT");
  await second.ended;
}, 600_000);
