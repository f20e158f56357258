/** The commands of the guide, as they are printed, after each kind of damage that it speaks of. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BIN } from "../support/cli.ts";
import { buildProject, copyOf, type Damaged, treesIn } from "../support/damage.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guides/recover.md"), "utf8");
const COMMANDS = [...GUIDE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) => block.trim().split("\n"));

let project: Damaged;
beforeAll(async () => {
  project = await buildProject();
}, 120_000);
afterAll(() => project.remove());

const DAMAGES: Readonly<Record<string, (state: string) => void>> = {
  "no journal": (state) => {
    for (const end of ["", "-wal", "-shm"]) rmSync(join(state, `pawl.db${end}`), { force: true });
  },
  "an empty journal": (state) => truncateSync(join(state, "pawl.db"), 0),
  "half a journal": (state) => truncateSync(join(state, "pawl.db"), 40_000),
  "another file in its place": (state) => writeFileSync(join(state, "pawl.db"), "hello ".repeat(3000)),
};

test("the guide has commands, and the first of them only looks", () => {
  expect(COMMANDS[0]).toMatch(/^pawl recover +# what is wrong/);
  expect(COMMANDS.length).toBeGreaterThanOrEqual(5);
});

test.each(Object.entries(DAMAGES))(
  "with %s every command of the guide does what it says",
  (_, damage) => {
    const root = copyOf(project.clean);
    const bin = join(root, ".bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "pawl"), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
    chmodSync(join(bin, "pawl"), 0o755);
    const env = { PATH: `${bin}${delimiter}${process.env["PATH"]}`, HOME: process.env["HOME"] };
    const trees = treesIn(root);
    damage(join(root, ".pawl"));

    const ended = COMMANDS.map((line) => {
      const { status, stderr } = spawnSync("/bin/sh", ["-c", line], { cwd: root, env, encoding: "utf8" });
      return { line, status, stderr };
    });

    expect(ended).toEqual(COMMANDS.map((line) => ({ line, status: 0, stderr: "" })));
    const names = ["for-each-ref", "--format=%(tree)", "refs/heads/pawl/recovered"];
    const onBranches = execFileSync("git", ["-C", root, ...names], { encoding: "utf8" })
      .trim()
      .split("\n");
    expect([...trees].filter((tree) => !onBranches.includes(tree))).toEqual([]);
    rmSync(root, { recursive: true, force: true });
  },
  600_000,
);
