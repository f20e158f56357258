/** A sandbox that is missing, broken, old or not what it says: nothing runs, and the reason is told. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";
import { bubblewrap, follow, programOf, runScript, start } from "../support/sandbox-fixture.ts";
import { slowness } from "../support/slowness.ts";

const REAL = "/usr/bin/bwrap";
const VERSION = '[ "$1" = --version ] && { echo "bubblewrap 0.8.0"; exit 0; }';
const HOST = resolve("test/support/sandbox-host.ts");

afterEach(removeFolders);

function script(...lines: readonly string[]): (path: string) => void {
  return (path) => writeFileSync(path, ["#!/bin/bash", ...lines, ""].join("\n"), { mode: 0o755 });
}

/** The real one, but asked for something else: each pair replaces some of its arguments, one per line. */
function partial(...changes: readonly (readonly [from: string, to: string])[]): (path: string) => void {
  return script(
    VERSION,
    "mapfile -d '' -u 7 args",
    "text=$(printf '%s\\n' \"${args[@]}\")",
    ...changes.map(([from, to]) => `text=\${text//${ansi(from)}/${ansi(to)}}`),
    'mapfile -t kept <<<"$text"',
    "shift 2",
    `exec ${REAL} "\${kept[@]}" "$@"`,
  );
}

function ansi(text: string): string {
  return `$'${text.replaceAll("\n", "\\n")}'`;
}

const without = (...flags: readonly string[]) => partial(...flags.map((flag) => [`${flag}\n`, ""] as const));
const USERS = ["--unshare-user", "--disable-userns", "--assert-userns-disabled", "--uid\n1000\n--gid\n1000"];

/** What is put in the place of bubblewrap, and what is said about it. */
const FAULTS: readonly (readonly [name: string, put: (path: string) => void, missing: RegExp])[] = [
  ["nothing", () => undefined, /not a program/],
  ["a folder", (path) => mkdirSync(path), /not a program/],
  [
    "a file that may not be run",
    (path) => writeFileSync(path, "#!/bin/sh\nexit 0\n", { mode: 0o644 }),
    /not a program/,
  ],
  ["a link to nothing", (path) => symlinkSync("nowhere", path), /not a program/],
  ["a link to itself", (path) => symlinkSync(path, path), /not a program/],
  ["an empty file", (path) => writeFileSync(path, "", { mode: 0o755 }), /does not say/],
  ["bytes without sense", (path) => writeFileSync(path, Buffer.alloc(4096, 0xfe), { mode: 0o755 }), /does not say/],
  ["a script without its shell", (path) => writeFileSync(path, "#!/no/shell\n", { mode: 0o755 }), /does not say/],
  ["one that ends with 1", script("exit 1"), /does not say/],
  ["one that ends with 0 and says nothing", script("exit 0"), /does not say/],
  ["one that dies", script("kill -SEGV $$"), /does not say/],
  ["one that hangs", script("sleep 30"), /does not say/],
  ["one that talks without end", script("exec yes"), /does not say/],
  ["one that says something else", script("echo bubblewrap; echo 0.8.0"), /does not say/],
  ["one that says its version and fails", script("echo bubblewrap 0.8.0; exit 1"), /does not say/],
  ["version 0.4.1", script("echo bubblewrap 0.4.1"), /0\.4\.1 is too old/],
  ["version 0.7.0", script("echo bubblewrap 0.7.0"), /0\.7\.0 is too old/],
  ["one that hangs when it should build", script(VERSION, "sleep 30"), /gives no answer/],
  ["one that ends when it should build", script(VERSION, "exit 0"), /cannot build/],
  ["one that fails when it should build", script(VERSION, "echo no such option >&2; exit 1"), /no such option/],
  ["one that dies when it should build", script(VERSION, "kill -SEGV $$"), /cannot build/],
  [
    "one that is denied namespaces",
    script(VERSION, "echo 'bwrap: No permissions to create new namespace' >&2; exit 1"),
    /No permissions to create new namespace/,
  ],
  ["one that lies and ends", script(VERSION, "printf . >&3; exit 0"), /hole/],
  ["one that lies and hangs", script(VERSION, "printf . >&3; sleep 30"), /hole/],
  ["one that runs the program without a wall", script(VERSION, "shift 3", 'exec "$@"'), /cannot build/],
  [
    "one that does so knowing our scripts",
    script(VERSION, "shift 3", 'PAWL_WALL=stands exec "$@"'),
    /shares the users/,
  ],
  ["a wall with the users of this machine", without(...USERS), /shares the users/],
  ["a wall with the processes of this machine", without("--unshare-pid"), /shares the processes/],
  ["a wall with the network of this machine", without("--unshare-net"), /shares the network/],
  ["a wall with the shared memory of this machine", without("--unshare-ipc"), /shares the shared memory/],
  ["a wall with the name of this machine", without("--hostname\npawl", "--unshare-uts"), /shares the host name/],
  ["a wall that leaves capabilities", partial(["--cap-drop\nALL", "--cap-add\nALL"]), /capabilities/],
  ["a wall without a filter", without("--seccomp\n8"), /filters no system calls/],
  ["a wall that allows more namespaces", without("--disable-userns", "--assert-userns-disabled"), /make namespaces/],
  ["a wall with a root that can be written", without("--remount-ro\n/"), /\/ can be written/],
  ["a wall with devices that can be added", without("--remount-ro\n/dev"), /\/dev can be written/],
  ["a wall with a system that can be written", partial(["--ro-bind\n/usr", "--bind\n/usr"]), /\/usr can be written/],
  [
    "a wall with settings that can be written",
    without("--ro-bind\n/proc/sys\n/proc/sys"),
    /\/proc\/sys is not mounted/,
  ],
  [
    "a wall with a window",
    partial(["--remount-ro\n/\n", "--ro-bind\n/etc\n/mnt/etc\n--remount-ro\n/\n"]),
    /\/mnt\/etc is mounted and should not be/,
  ],
  [
    "a wall with the temporary files of this machine",
    partial(["--remount-ro\n/\n", `--bind\n${tmpdir()}\n/tmp\n--remount-ro\n/\n`]),
    /its \/tmp is not empty/,
  ],
  ["a wall that ends before its word", partial(["--setenv\nPAWL_WALL", "--setenv\nOTHER"]), /cannot build/],
];

describe("a sandbox that cannot be trusted", () => {
  it.each(FAULTS)("runs nothing with %s in the place of bubblewrap", async (name, put, missing) => {
    const folder = makeFolder();
    const program = join(folder, "bwrap");
    const marker = join(folder, "ran");
    put(program);
    const sandbox = bubblewrap({ program, patienceMs: /hang|without end/.test(name) ? 400 : 20_000 });
    const report = await sandbox.check();
    expect(report.missing).toMatch(missing);
    expect(report.hint).toMatch(/^[A-Z].{20,}/);
    const enclosing = sandbox.enclose(programOf(["/usr/bin/touch", marker]));
    await expect(enclosing).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    expect(existsSync(marker)).toBe(false);
  });

  it("has at least 30 faults in this list", () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(30);
  });

  it("leaves no process behind when it hangs", async () => {
    const folder = makeFolder();
    const program = join(folder, "bwrap");
    script("sleep 4321.125 & sleep 4321.125")(program);
    expect((await bubblewrap({ program, patienceMs: 200 }).check()).missing).not.toBeNull();
    await expect
      .poll(() => commandLines().filter((line) => line.includes("4321.125")), { timeout: 5000 * slowness() })
      .toEqual([]);
  });

  it.each([
    [{ platform: "darwin" }, /not Linux/],
    [{ platform: "win32" }, /not Linux/],
    [{ processor: "mips" }, /processor mips/],
    [{ readable: ["/etc"] }, /\/etc is never shown/],
  ])("is refused where there is none: %j", async (change, missing) => {
    const sandbox = bubblewrap(change);
    expect((await sandbox.check()).missing).toMatch(missing);
    await expect(sandbox.enclose(programOf(["true"]))).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
  });

  it("shows a readable folder below the temporary files of this machine, and nothing beside it", async () => {
    const [shown, beside] = [0, 0].map(() => mkdtempSync("/tmp/pawl-shown-")) as [string, string];
    onTestFinished(() => {
      for (const folder of [shown, beside]) rmSync(folder, { recursive: true });
    });
    writeFileSync(join(shown, "file"), "");
    const sandbox = bubblewrap({ readable: [shown] });
    expect(await sandbox.check()).toMatchObject({ missing: null });
    const script = `ls -A /tmp; ls ${shown}; [ -e ${beside} ] || echo hidden`;
    const { stdout } = await runScript(sandbox, makeFolder(), script);
    expect(stdout).toBe(`${basename(shown)}\nfile\nhidden\n`);
  });

  it("is tried again when its program has been changed, removed or is good again", async () => {
    const folder = makeFolder();
    const program = join(folder, "bwrap");
    copyFileSync(REAL, program);
    const sandbox = bubblewrap({ program });
    expect((await sandbox.check()).missing).toBeNull();
    chmodSync(program, 0o644);
    expect((await sandbox.check()).missing).toMatch(/not a program/);
    rmSync(program);
    expect((await sandbox.check()).missing).toMatch(/not a program/);
    script(VERSION, "shift 3", 'PAWL_WALL=stands exec "$@"')(program);
    await expect(sandbox.enclose(programOf(["true"]))).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    copyFileSync(REAL, join(folder, "good"));
    renameSync(join(folder, "good"), program);
    expect((await sandbox.check()).missing).toBeNull();
  });

  it("runs nothing when its program is exchanged between the wall's plan and its start", async () => {
    const folder = makeFolder();
    const program = join(folder, "bwrap");
    copyFileSync(REAL, program);
    const enclosure = await bubblewrap({ program }).enclose(programOf(["/usr/bin/touch", join(folder, "ran")]));
    rmSync(program);
    script('while [ "$1" != -- ]; do shift; done; shift', 'exec "$@"')(program);
    expect(await follow(start(enclosure), "\n")).toMatchObject({ code: 125, wasReady: false });
    expect(readdirSync(folder)).toEqual(["bwrap"]);
  });

  it("leaves nobody waiting to hand over a large environment when it ends without asking for it", async () => {
    const program = join(makeFolder(), "bwrap");
    copyFileSync(REAL, program);
    const env = { BIG_1: "x".repeat(100_000), BIG_2: "y".repeat(100_000) };
    const enclosure = await bubblewrap({ program }).enclose(programOf(["true"], { env }));
    rmSync(program);
    script("exit 9")(program);
    expect(await follow(start(enclosure), "\n")).toMatchObject({ code: 9, wasReady: false });
    await expect.poll(() => holdersOf(enclosure.env["PAWL_KEY"] ?? ""), { timeout: 3000 * slowness() }).toEqual([]);
  });

  it("says why when this machine gives no user namespaces", () => {
    const forbid = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"';
    const told = hosted(
      ["/usr/bin/unshare", "--user", "--map-root-user", "/bin/sh", "-c", forbid, "sh"],
      ["/bin/true"],
    );
    expect(told).toEqual({
      report: {
        missing: expect.stringMatching(/cannot build a wall here: .*(namespace|No space left)/i),
        hint: expect.stringContaining("user.max_user_namespaces"),
        name: expect.stringMatching(/^bubblewrap /),
      },
      came: { code: "SANDBOX_UNAVAILABLE" },
    });
  });

  it.runIf(process.getuid?.() === 0)("works for a user who is nobody special", () => {
    const told = hosted(
      ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"],
      ["/usr/bin/id"],
    );
    expect(told).toMatchObject({
      report: { missing: null },
      came: { code: 0, stdout: expect.stringMatching(/^uid=1000\(pawl\) gid=1000\(pawl\)/) },
    });
  });

  it("passes nothing on that was left open by whoever started its host", () => {
    const secret = join(makeFolder(), "secret");
    writeFileSync(secret, "secret");
    const leak = `exec 3<${secret} 5<${secret} 9<${secret} 12<${secret} 77<${secret} && exec "$@"`;
    const told = hosted(["/bin/bash", "-c", leak, "bash"], ["/bin/ls", "-l", "/proc/self/fd"]);
    expect(told.came).toMatchObject({ code: 0 });
    expect(JSON.stringify(told)).not.toContain("secret");
    expect(JSON.stringify(told).match(/\d+ -> (?!\/proc)/g)).toHaveLength(3);
  });
});

function hosted(before: readonly string[], program: readonly string[]): { report: unknown; came: unknown } {
  const argv = [...before, process.execPath, "--import", "tsx", HOST, ...program];
  const env = { PATH: process.env["PATH"], TMPDIR: tmpdir() };
  const stdio = ["ignore", "pipe", "inherit"] as const;
  return JSON.parse(execFileSync(argv[0] as string, argv.slice(1), { encoding: "utf8", env, stdio: [...stdio] }));
}

function commandLines(): readonly string[] {
  return execFileSync("/bin/ps", ["-eo", "args"], { encoding: "utf8", maxBuffer: 64 << 20 }).split("\n");
}

/** Processes that were started with this key. */
function holdersOf(key: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "latin1").includes(`PAWL_KEY=${key}\0`);
    } catch {
      return false;
    }
  });
}
