/** What every sandbox promises: src/ports/sandbox.ts, and its way out, src/ports/egress.ts. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Egress } from "../../src/ports/egress.ts";
import { BEHIND, type EnclosedProgram, type Mount, type Sandbox } from "../../src/ports/sandbox.ts";
import { makeFolder } from "../support/process-fixture.ts";
import { echoEgress, follow, programOf, runEnclosed, runScript, start } from "../support/sandbox-fixture.ts";
import { slowness } from "../support/slowness.ts";

const OWN_VARIABLES = ["HOME", "PATH", "PWD", "TMPDIR", "USER", "SHLVL", "_"];

export function sandboxContract(name: string, make: (egress?: Egress) => Sandbox): void {
  const sandbox = make();
  const at = (folder: string, access: Mount["access"] = "write"): Pick<EnclosedProgram, "mounts" | "cwd"> => ({
    mounts: [{ from: folder, to: BEHIND.workspace, access }],
    cwd: BEHIND.workspace,
  });

  describe(`${name} sandbox: the program`, () => {
    it("can be built on this machine", async () => {
      expect(await sandbox.check()).toEqual({ missing: null, hint: null, name: expect.stringMatching(/^\S+ \d/) });
    });

    it.each([0, 1, 77, 255])("ends with its own exit code %i", async (code) => {
      expect(await runEnclosed(sandbox, programOf(["/bin/sh", "-c", `exit ${code}`]))).toMatchObject({
        code,
        signal: null,
        wasReady: true,
      });
    });

    it("ends with 128 + the signal that ended it", async () => {
      expect(await runEnclosed(sandbox, programOf(["/bin/sh", "-c", "kill -TERM $$"]))).toMatchObject({ code: 143 });
      expect(await runEnclosed(sandbox, programOf(["/bin/sh", "-c", "kill -KILL $$"]))).toMatchObject({ code: 137 });
    });

    it("tells a program that is missing (127) from one that cannot be run (126)", async () => {
      expect(await runEnclosed(sandbox, programOf(["no-such-program"]))).toMatchObject({ code: 127, wasReady: true });
      expect(await runEnclosed(sandbox, programOf(["/etc/passwd"]))).toMatchObject({ code: 126, wasReady: true });
    });

    it("gets exactly its arguments", async () => {
      const args = [
        "",
        " ",
        "a b",
        "'",
        '"',
        "$HOME",
        "`id`",
        "\\",
        "%s",
        "-n",
        "--",
        "*",
        "ä€😀",
        "\t\r\n",
        "\u001b[31m",
      ];
      const { stdout } = await runEnclosed(sandbox, programOf(["/usr/bin/printf", "%s\\0", ...args]));
      expect(stdout.split("\0").slice(0, -1)).toEqual(args);
    });

    it("gets exactly its environment and what the wall sets", async () => {
      const env = { A: "", B_1: "a b", c: "'\"$x`\\%s\n\té€😀\u001b", PATH: "/evil", HOME: "/evil", go: "1" };
      const { stdout } = await runEnclosed(sandbox, programOf(["/usr/bin/env", "-0"], { env }));
      const found = Object.fromEntries(
        stdout
          .split("\0")
          .slice(0, -1)
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
      expect(Object.keys(found).filter((key) => !OWN_VARIABLES.includes(key) && !(key in env))).toEqual([]);
      expect(found).toMatchObject({ ...env, PATH: found["PATH"], HOME: BEHIND.home, USER: "pawl", TMPDIR: "/tmp" });
      expect(found["PATH"]).not.toContain("evil");
    });

    it("gets a large environment whole", async () => {
      const env = Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`BIG_${index}`, `${index}${"x\n'".repeat(2000)}`]),
      );
      const { stdout } = await runEnclosed(sandbox, programOf(["/usr/bin/env", "-0"], { env }));
      for (const [key, value] of Object.entries(env)) expect(stdout).toContain(`${key}=${value}\0`);
    });

    it("has only the three standard descriptors", async () => {
      const { stdout } = await runEnclosed(sandbox, programOf(["/bin/ls", "-l", "/proc/self/fd"]));
      const open = [...stdout.matchAll(/(\d+) -> (.*)/g)].filter((found) => !/^\/proc\/\d+\/fd$/.test(found[2] ?? ""));
      expect(open.map((found) => found[1])).toEqual(["0", "1", "2"]);
    });

    it("is never begun when the descriptor closes before the word, or the word is cut off", async () => {
      const folder = makeFolder();
      for (const word of [null, ""]) {
        const enclosure = await sandbox.enclose(programOf(["/usr/bin/touch", "began"], at(folder)));
        const child = start(enclosure);
        const ended = follow(child, word);
        if (word === "") (child.stdio[3] as unknown as { end(text: string): void }).end("go");
        expect((await ended).code).not.toBe(0);
        await enclosure.close();
      }
      expect(readdirSync(folder)).toEqual([]);
    });

    it("is found by its key, and what it is given stands on no command line", async () => {
      const program = programOf(["/bin/sh", "-c", "sleep 30"], {
        env: { TOKEN: "secret-in-the-environment" },
      });
      const enclosure = await sandbox.enclose(program);
      expect(enclosure.env["PAWL_KEY"]).toBe(program.key);
      expect(enclosure.argv.join("\n")).not.toContain("secret-in");
      const child = start(enclosure);
      const ended = follow(child, "\n");
      expect(readFileSync(`/proc/${child.pid}/environ`, "latin1")).toContain(`PAWL_KEY=${program.key}\0`);
      expect(readFileSync(`/proc/${child.pid}/cmdline`, "latin1")).not.toContain("secret-in");
      child.kill("SIGKILL");
      await ended;
      await enclosure.close();
    });

    it.each([
      { argv: [] },
      { argv: [""] },
      { argv: ["-c", "true"] },
      { argv: ["true", "a\0b"] },
      { env: { "A=B": "x" } },
      { env: { "": "x" } },
      { env: { A: "x\0--bind\0/\0/" } },
      { env: { "A\0B": "x" } },
      { cwd: "/tmp\0--share-net" },
      { cwd: "tmp" },
    ])("is refused when it is not plain: %j", async (change) => {
      await expect(sandbox.enclose(programOf(["true"], change))).rejects.toMatchObject({
        code: "SANDBOX_PROGRAM_UNFIT",
      });
    });

    it.each(["ends", "is killed"])("leaves no process behind when it %s", async (how) => {
      const nap = `${how === "ends" ? 778 : 779}.${process.pid}`;
      const script = `trap "" TERM HUP; setsid sleep ${nap} & (sleep ${nap} &); nohup sleep ${nap} >/dev/null 2>&1 & echo begun; ${how === "ends" ? "sleep 0.05" : "wait"}`;
      const enclosure = await sandbox.enclose(programOf(["/bin/sh", "-c", script]));
      const child = start(enclosure);
      const ended = follow(child, "\n");
      child.stdout?.once("data", () => how === "is killed" && child.kill("SIGKILL"));
      await ended;
      await expect.poll(() => sleepersOf(nap), { timeout: 3000 * slowness(), interval: 5 }).toEqual([]);
      await enclosure.close();
    });

    it.each([512, 100_000])("writes no file above %i bytes", async (fileBytes) => {
      const folder = makeFolder();
      const { code } = await runScript(sandbox, folder, "exec head -c 300000 /dev/zero >big", { fileBytes });
      expect(code).not.toBe(0);
      expect(lstatSync(join(folder, "big")).size).toBe(Math.ceil(fileBytes / 512) * 512);
      expect(await runScript(sandbox, folder, "ulimit -f unlimited", { fileBytes })).not.toMatchObject({ code: 0 });
    });
  });

  describe(`${name} sandbox: mounts`, () => {
    it("are written where they may be, and nowhere else", async () => {
      const [open, shut] = [makeFolder(), makeFolder()];
      writeFileSync(join(shut, "old"), "old");
      const mounts: Mount[] = [
        { from: open, to: "/workspace", access: "write" },
        { from: shut, to: "/run/pawl/inputs", access: "read" },
      ];
      const script =
        "echo x >new; cat /run/pawl/inputs/old; echo y >/run/pawl/inputs/old; rm -rf /run/pawl/inputs/*; touch /run/pawl/new";
      const { stdout } = await runScript(sandbox, open, script, { mounts });
      expect(stdout).toBe("old");
      expect(readdirSync(open)).toEqual(["new"]);
      expect(readFileSync(join(shut, "old"), "utf8")).toBe("old");
    });

    it("lie over each other in their order, and leave no place behind that was made for them", async () => {
      const [one, two] = [makeFolder(), makeFolder()];
      writeFileSync(join(two, "file"), "two");
      const mounts: Mount[] = [
        { from: one, to: "/workspace", access: "write" },
        { from: two, to: "/workspace/deep/er", access: "read" },
        { from: join(two, "file"), to: "/workspace/single", access: "read" },
      ];
      const { stdout } = await runScript(sandbox, one, "cat deep/er/file single", { mounts });
      expect(stdout).toBe("twotwo");
      expect(readdirSync(one)).toEqual([]);
      const over = await runScript(sandbox, one, "ls", {
        mounts: [...mounts, { from: two, to: "/workspace", access: "read" }],
      });
      expect(over.stdout).toBe("file\n");
    });

    it("are refused when they are missing, links or special, and nothing is left", async () => {
      const folder = makeFolder();
      const work = join(folder, "work");
      mkdirSync(work);
      symlinkSync(work, join(folder, "link"));
      symlinkSync(folder, join(work, "out"));
      const bad: Mount[][] = [
        [{ from: join(folder, "missing"), to: "/workspace", access: "read" }],
        [{ from: join(folder, "link"), to: "/workspace", access: "read" }],
        [{ from: "/dev/null", to: "/workspace", access: "read" }],
        [{ from: "relative", to: "/workspace", access: "read" }],
        [{ from: work, to: "work", access: "read" }],
        [{ from: work, to: "/", access: "read" }],
        [{ from: work, to: "/workspace/..", access: "read" }],
        [{ from: work, to: "/proc/sys", access: "write" }],
        [{ from: work, to: "/dev", access: "write" }],
        [{ from: `${work}\0--bind`, to: "/workspace", access: "write" }],
        [
          { from: work, to: "/workspace", access: "write" },
          { from: folder, to: "/workspace/out/in", access: "write" },
        ],
        [
          { from: work, to: "/workspace", access: "write" },
          { from: work, to: "/workspace/new/place", access: "write" },
          { from: join(folder, "missing"), to: "/other", access: "write" },
        ],
        [
          { from: work, to: "/workspace", access: "read" },
          { from: folder, to: "/workspace/new", access: "read" },
        ],
      ];
      for (const mounts of bad)
        await expect(sandbox.enclose(programOf(["true"], { mounts })), JSON.stringify(mounts)).rejects.toMatchObject({
          code: "SANDBOX_PATH_UNFIT",
        });
      expect(readdirSync(work)).toEqual(["out"]);
      expect(readdirSync(folder).sort()).toEqual(["link", "work"]);
    });
  });

  describe(`${name} sandbox: the network`, () => {
    it("does not exist when no host is listed", async () => {
      const { stdout } = await runEnclosed(sandbox, programOf(["/bin/cat", "/proc/net/dev"]));
      expect(stdout.match(/^\s*\S+(?=:)/gm)?.map((each) => each.trim())).toEqual(["lo"]);
      const around = await runEnclosed(sandbox, programOf(["/bin/sh", "-c", "env; ls /run"]));
      expect(around.stdout).not.toMatch(/proxy|egress/i);
    });

    it("is refused when there is no broker", async () => {
      const asked = sandbox.enclose(programOf(["true"], { network: ["example.com"] }));
      await expect(asked).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    });

    it("leads to the broker and nowhere else, and tells what was refused", async () => {
      const folder = makeFolder();
      const egress = echoEgress(folder);
      const client = `
        const net = require("node:net");
        const proxy = new URL(process.env.https_proxy);
        const socket = net.connect(Number(proxy.port), proxy.hostname, () => socket.end("hello " + "x".repeat(200000)));
        let heard = "";
        socket.on("data", (bytes) => (heard += bytes));
        socket.on("end", () => console.log(heard.length, heard.slice(0, 6), process.env.NO_PROXY === "", process.env.HTTP_PROXY));
      `;
      const outcome = await runEnclosed(
        make(egress),
        programOf([process.execPath, "-e", client], { network: ["example.com", "*.example.org:8443"] }),
      );
      expect(outcome).toEqual({
        code: 0,
        signal: null,
        stdout: "200006 HELLO  true http://127.0.0.1:3128\n",
        stderr: "",
        wasReady: true,
        refused: [{ host: "refused.example", port: 443, why: "not listed", times: 1 }],
      });
      expect(egress.asked).toEqual([["example.com", "*.example.org:8443"]]);
      expect(egress.doors.size).toBe(0);
    });

    it("opens no door when the program cannot be enclosed", async () => {
      const egress = echoEgress(makeFolder());
      const asked = make(egress).enclose(programOf(["true"], { network: ["example.com"], sealed: ["relative"] }));
      await expect(asked).rejects.toMatchObject({ code: "SANDBOX_PATH_UNFIT" });
      expect(egress.asked).toEqual([]);
    });
  });
}

/** Processes of this machine that sleep so long. */
function sleepersOf(nap: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1") === `sleep\0${nap}\0`;
    } catch {
      return false;
    }
  });
}
