/** A wall with sealed places below a folder that can be exchanged is built within a fence: the same wall, and nothing is made elsewhere. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { EnclosedProgram } from "../../src/ports/sandbox.ts";
import { makeFolder, removeFolders, SANDBOX } from "../support/process-fixture.ts";
import { bubblewrap, echoEgress, follow, programOf, runEnclosed, start } from "../support/sandbox-fixture.ts";

afterEach(removeFolders);

const FENCED = ["/workspace/.git/config", "/workspace/.git/hooks", "/workspace/a/b/.vscode"];
const UNFENCED = ["/workspace/.git"];
/** What a program finds of its wall. */
const LOOK =
  "cut -d' ' -f5,6 /proc/self/mountinfo | grep -v /workspace; grep -E '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status; ls /proc/self/fd; id; set -- /proc/[0-9]*; echo $#";

function programIn(folder: string, script: string, sealed: readonly string[]): EnclosedProgram {
  const mounts = [{ from: folder, to: "/workspace", access: "write" as const }];
  return programOf(["/bin/sh", "-c", script], { mounts, cwd: "/workspace", sealed });
}

/** A folder as programs find it when the wall is built: from there this way leads to a folder of the machine. */
function wayOut(depth: number, folder: string): string {
  return `${"../".repeat(depth)}oldroot${folder}`;
}

describe("a place that is exchanged with a link while the wall is built", () => {
  it.each([
    ["a missing file", ".git/config", 3, "made"],
    ["a missing file deeper down", "a/b/.mcp.json", 4, "made"],
  ])("makes bubblewrap make nothing where the link leads: %s", async (_, path, depth, name) => {
    const folder = makeFolder();
    const outside = makeFolder();
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const enclosure = await SANDBOX.enclose(programIn(folder, "echo began", [`/workspace/${path}`]));
    rmSync(join(folder, path), { force: true });
    symlinkSync(wayOut(depth, join(outside, name)), join(folder, path));
    const outcome = await follow(start(enclosure), "go\n");
    await enclosure.close();
    expect(readdirSync(outside)).toEqual([]);
    expect(outcome).toMatchObject({ wasReady: false, stdout: "" });
    expect(outcome.code).not.toBe(0);
  });
});

describe("a wall that is built within a fence", () => {
  it("is the same wall", async () => {
    const [plain, fenced] = [makeFolder(), makeFolder()];
    const without = await runEnclosed(SANDBOX, programIn(plain, LOOK, UNFENCED));
    const within = await runEnclosed(SANDBOX, programIn(fenced, LOOK, FENCED));
    expect(within).toEqual(without);
    expect(within.code).toBe(0);
  });

  it("lets the program write its workspace but not what is sealed, and leaves nothing behind", async () => {
    const folder = makeFolder();
    const script =
      "echo x >.git/HEAD; echo x >a/b/c; echo x >/dev/null && echo null; for path in .git/config .git/hooks/x a/b/.vscode/x; do echo x >$path; done 2>/dev/null; rm -r .git a; ls -A .git a/b";
    const { code, stdout } = await runEnclosed(SANDBOX, programIn(folder, script, FENCED));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "null\n.git:\nconfig\nhooks\n\na/b:\n.vscode\n" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["exit 7", 7],
    ["kill -9 $$", 137],
  ])("passes on how its program ended: %s", async (script, code) => {
    expect(await runEnclosed(SANDBOX, programIn(makeFolder(), script, FENCED))).toMatchObject({ code, wasReady: true });
  });

  it("never begins its program without the word", async () => {
    const folder = makeFolder();
    const outcome = await runEnclosed(SANDBOX, programIn(folder, "echo >began", FENCED), null);
    expect(outcome).toMatchObject({ code: 125, wasReady: true });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("has a way to the network", async () => {
    const folder = makeFolder();
    const egress = echoEgress(makeFolder());
    const script = `exec ${process.execPath} -e 'const c=require("net").connect(3128,"127.0.0.1");c.end("hello");c.pipe(process.stdout)'`;
    const outcome = await runEnclosed(bubblewrap({ egress }), {
      ...programIn(folder, script, FENCED),
      network: ["a.org"],
    });
    expect(outcome).toMatchObject({ code: 0, stdout: "HELLO" });
  });

  it("is not built where walls cannot be built within each other, and the reason is told", async () => {
    const program = join(makeFolder(), "bwrap");
    const refuse =
      'case "$*" in *"--ro-bind / /"*) echo "bwrap: No permissions to create a new namespace" >&2; exit 1;; esac';
    writeFileSync(program, `#!/bin/sh\n${refuse}\nexec bwrap "$@"\n`, { mode: 0o755 });
    const sandbox = bubblewrap({ program });
    expect(await runEnclosed(sandbox, programIn(makeFolder(), "echo began", UNFENCED))).toMatchObject({
      stdout: "began\n",
    });
    expect(await runEnclosed(sandbox, programIn(makeFolder(), "echo began", FENCED))).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "bwrap: No permissions to create a new namespace\n",
      wasReady: false,
    });
  });
});
