/** What every sandbox promises: src/ports/sandbox.ts, and its way out, src/ports/egress.ts. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Egress } from "../../src/ports/egress.ts";
import { BEHIND, type EnclosedProgram, type Mount, type Sandbox } from "../../src/ports/sandbox.ts";
import { makeFolder } from "../support/process-fixture.ts";
import { echoEgress, follow, programOf, runEnclosed, runScript, start } from "../support/sandbox-fixture.ts";

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
      const program = programOf(["/bin/sh", "-c", "read -r x </dev/null; sleep 0.2"], {
        env: { TOKEN: "secret-in-the-environment" },
      });
      const enclosure = await sandbox.enclose(program);
      expect(enclosure.env["PAWL_KEY"]).toBe(program.key);
      expect(enclosure.argv.join("\n")).not.toContain("secret-in");
      const child = start(enclosure);
      const ended = follow(child, "\n");
      await new Promise((resolve) => setTimeout(resolve, 120));
      expect(readFileSync(`/proc/${child.pid}/environ`, "latin1")).toContain(`PAWL_KEY=${program.key}\0`);
      expect(readFileSync(`/proc/${child.pid}/cmdline`, "latin1")).not.toContain("secret-in");
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
      await expect.poll(() => sleepersOf(nap), { timeout: 3000, interval: 5 }).toEqual([]);
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

  describe(`${name} sandbox: sealed paths`, () => {
    /** Everything a program may try to change a path, and the folders on the way to it. Prints what worked. */
    const attack = (sealed: readonly string[]): readonly string[] => [
      process.execPath,
      "-e",
      `
      const fs = require("node:fs");
      const { dirname } = require("node:path");
      const { execFileSync } = require("node:child_process");
      const run = (...argv) => execFileSync(argv[0], argv.slice(1), { stdio: "ignore" });
      const ways = {
        write: (path) => fs.writeFileSync(path, "evil"),
        append: (path) => fs.appendFileSync(path, "evil"),
        truncate: (path) => fs.truncateSync(path),
        create: (path) => fs.writeFileSync(path + "/evil", "evil"),
        mkdir: (path) => fs.mkdirSync(path + "/evil"),
        make: (path) => fs.mkdirSync(path),
        unlink: (path) => fs.unlinkSync(path),
        rmdir: (path) => fs.rmdirSync(path),
        remove: (path) => fs.rmSync(path, { recursive: true }),
        rename: (path) => fs.renameSync(path, "/workspace/moved"),
        replace: (path) => (fs.writeFileSync("/workspace/evil", "evil"), fs.renameSync("/workspace/evil", path)),
        replaceFolder: (path) => (fs.mkdirSync("/workspace/evils"), fs.renameSync("/workspace/evils", path)),
        symlink: (path) => fs.symlinkSync("/tmp", path),
        link: (path) => fs.linkSync(path, "/workspace/second"),
        chmod: (path) => fs.chmodSync(path, 0o777),
        times: (path) => fs.utimesSync(path, 0, 0),
        umount: (path) => run("umount", path),
        detach: (path) => run("umount", "-l", path),
        remount: (path) => run("mount", "-o", "remount,rw,bind", path),
        mount: (path) => run("mount", "-t", "tmpfs", "tmpfs", path),
      };
      for (const path of ${JSON.stringify(sealed)}) {
        for (const [name, way] of Object.entries(ways)) {
          try { way(path); console.log(name, path); } catch {}
          fs.rmSync("/workspace/evil", { force: true });
          fs.rmSync("/workspace/evils", { force: true, recursive: true });
        }
        for (let at = dirname(path); at !== "/workspace"; at = dirname(at)) {
          try { fs.renameSync(at, "/workspace/away"); console.log("rename", at); } catch {}
          try { fs.rmdirSync(at); console.log("rmdir", at); } catch {}
        }
      }
      console.log("tried");
      `,
    ];
    const runAttack = (folder: string, sealed: readonly string[]) =>
      runEnclosed(sandbox, programOf(attack(sealed), { ...at(folder), sealed }));

    it("stay as they are: a file, a folder, something deep", async () => {
      const folder = makeFolder();
      mkdirSync(join(folder, ".git/hooks"), { recursive: true });
      mkdirSync(join(folder, "a/b"), { recursive: true });
      for (const path of [".npmrc", ".git/config", "a/b/c", "a/free"]) writeFileSync(join(folder, path), path);
      const sealed = ["/workspace/.git", "/workspace/.npmrc", "/workspace/a/b/c"];
      expect(await runAttack(folder, sealed)).toMatchObject({ code: 0, stdout: "tried\n" });
      for (const path of [".npmrc", ".git/config", "a/b/c"])
        expect(readFileSync(join(folder, path), "utf8")).toBe(path);
      expect(readdirSync(join(folder, ".git")).sort()).toEqual(["config", "hooks"]);
      expect(readdirSync(folder).sort()).toEqual([".git", ".npmrc", "a"]);
    });

    it("stay missing, also deep in folders that are missing, and leave no trace", async () => {
      const folder = makeFolder();
      const sealed = ["/workspace/.git", "/workspace/.vscode/settings.json", "/workspace/x/y/z"];
      expect(await runAttack(folder, sealed)).toMatchObject({ code: 0, stdout: "tried\n" });
      expect(readdirSync(folder)).toEqual([]);
    });

    it("do not close what is beside them", async () => {
      const folder = makeFolder();
      mkdirSync(join(folder, "a"));
      writeFileSync(join(folder, "a/old"), "old");
      const { code } = await runScript(
        sandbox,
        folder,
        "echo new >a/new && rm a/old && mkdir -p b/c && echo x >b/c/x",
        {
          sealed: ["/workspace/a/sealed", "/workspace/b/sealed"],
        },
      );
      expect(code).toBe(0);
      expect([readdirSync(join(folder, "a")), readdirSync(join(folder, "b"))]).toEqual([["new"], ["c"]]);
    });

    it("that lie in another sealed path, in a read-only mount or nowhere need nothing", async () => {
      const folder = makeFolder();
      mkdirSync(join(folder, ".git"));
      const sealed = [
        "/workspace/.git/hooks",
        "/workspace/.git",
        "/workspace/.git/config",
        "/usr/nothing",
        "/nowhere/at/all",
      ];
      expect(await runScript(sandbox, folder, "mkdir /nowhere || touch .git/x || exit 7", { sealed })).toMatchObject({
        code: 7,
      });
      expect(
        await runScript(sandbox, folder, "touch x || exit 7", {
          ...at(folder, "read"),
          sealed: ["/workspace/.git", "/workspace/new"],
        }),
      ).toMatchObject({ code: 7 });
      expect(await runScript(sandbox, folder, "touch x || exit 7", { sealed: ["/workspace"] })).toMatchObject({
        code: 7,
      });
      expect(readdirSync(folder)).toEqual([".git"]);
    });

    it("are refused when they cannot be held, and nothing is left", async () => {
      const folder = makeFolder();
      mkdirSync(join(folder, "real"));
      writeFileSync(join(folder, "file"), "");
      writeFileSync(join(folder, "one"), "");
      linkSync(join(folder, "one"), join(folder, "other-name"));
      symlinkSync("real", join(folder, "link"));
      symlinkSync("nowhere", join(folder, "dangling"));
      const before = readdirSync(folder).sort();
      const bad = ["link/config", "dangling/x", "file/below", "one", "new/../x", "new//x", "new/"];
      for (const path of bad.map((each) => `/workspace/${each}`))
        await expect(
          sandbox.enclose(programOf(["true"], { ...at(folder), sealed: ["/workspace/made", path] })),
          path,
        ).rejects.toMatchObject({
          code: "SANDBOX_PATH_UNFIT",
        });
      for (const path of ["/workspace/link/config", "/workspace/dangling/x"])
        await expect(sandbox.enclose(programOf(["true"], { ...at(folder), sealed: [path] }))).rejects.toThrow("link");
      for (const path of ["/tmp/x", `${BEHIND.home}/.config`, "relative", "/workspace/a\0b"])
        await expect(
          sandbox.enclose(programOf(["true"], { ...at(folder), sealed: [path] })),
          path,
        ).rejects.toMatchObject({
          code: "SANDBOX_PATH_UNFIT",
        });
      const beneath = [...at(folder).mounts, { from: folder, to: "/workspace/real/in", access: "write" as const }];
      await expect(
        sandbox.enclose(programOf(["true"], { mounts: beneath, sealed: ["/workspace/real"] })),
      ).rejects.toMatchObject({ code: "SANDBOX_PATH_UNFIT" });
      expect(readdirSync(folder).sort()).toEqual(before);
      expect(readdirSync(join(folder, "real"))).toEqual([]);
    });

    it("that are files and missing show as empty files, unknown to git, and leave no trace", async () => {
      const folder = makeFolder();
      spawnSync("git", ["init", "-q", folder]);
      const names = [".envrc", ".mcp.json", "opencode.json", "pawl.yaml"];
      const sealed = [...names, ".claude"].map((path) => `/workspace/${path}`);
      const look = `stat -c '%F' ${names.join(" ")} .claude; cat ${names.join(" ")}; git status --porcelain; echo x >.envrc`;
      expect(await runScript(sandbox, folder, look, { sealed })).toMatchObject({
        code: 2,
        stdout: `${"regular empty file\n".repeat(names.length)}directory\n`,
        stderr: expect.stringContaining("Read-only file system"),
      });
      expect(await runAttack(folder, sealed)).toMatchObject({ code: 0, stdout: "tried\n" });
      expect(readdirSync(folder)).toEqual([".git"]);
    });

    it("that are files and missing leave nothing for git to save when the host is killed", async () => {
      const folder = makeFolder();
      spawnSync("git", ["init", "-q", folder]);
      const program = programOf(["sleep", "60"], {
        ...at(folder),
        sealed: ["/workspace/.envrc", "/workspace/.claude"],
      });
      const child = start(await sandbox.enclose(program));
      const ended = follow(child, "\n");
      await new Promise((resolve) => (child.stdio[3] as NodeJS.ReadableStream).once("data", resolve));
      child.kill("SIGKILL");
      await ended;
      expect(readdirSync(folder).sort()).toEqual([".claude", ".envrc", ".git"]);
      expect(spawnSync("git", ["-C", folder, "status", "--porcelain", "-uall"], { encoding: "utf8" }).stdout).toBe("");
      const after = await runScript(make(), folder, "cat .envrc", { sealed: ["/workspace/.envrc"] });
      expect(after).toMatchObject({ code: 0, stdout: "" });
      expect(readdirSync(folder).sort()).toEqual([".claude", ".git"]);
    });

    it("that are links show what they lead to in the same folder, read-only, and are links again afterwards", async () => {
      const folder = makeFolder();
      mkdirSync(join(folder, "shared/claude"), { recursive: true });
      writeFileSync(join(folder, "shared/claude/settings.json"), "theirs");
      writeFileSync(join(folder, "shared/mcp"), "servers");
      const links = {
        ".claude": "shared/claude",
        ".mcp.json": "./shared/mcp",
        ".envrc": "/etc/passwd",
        ".vscode": "../x",
      };
      for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
      const sealed = Object.keys(links).map((name) => `/workspace/${name}`);
      const look = "cat .claude/settings.json .mcp.json .envrc; ls .vscode";
      expect(await runScript(sandbox, folder, look, { sealed })).toMatchObject({ code: 0, stdout: "theirsservers" });
      const ways = [...sealed, "/workspace/shared/claude/settings.json", "/workspace/shared/mcp"];
      expect(await runEnclosed(sandbox, programOf(attack(ways), { ...at(folder), sealed }))).toMatchObject({
        code: 0,
        stdout: "tried\n",
      });
      for (const [name, target] of Object.entries(links)) expect(readlinkSync(join(folder, name))).toBe(target);
      expect(readdirSync(folder).sort()).toEqual([...Object.keys(links), "shared"].sort());
      expect(readFileSync(join(folder, "shared/claude/settings.json"), "utf8")).toBe("theirs");
    });

    it("that are links to what does not exist yet hold its place too", async () => {
      const folder = makeFolder();
      mkdirSync(join(folder, "here"));
      const links = {
        ".claude": "conf",
        ".mcp.json": "here/deep/mcp",
        ".agents": ".cursor",
        ".cursor": "cursor",
        ".zed": "./here/../zed/",
      };
      for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
      const sealed = Object.keys(links).map((name) => `/workspace/${name}`);
      const targets = ["conf", "here/deep/mcp", "cursor", "zed"];
      const ways = [...sealed, ...targets.map((path) => `/workspace/${path}`)];
      expect(await runEnclosed(sandbox, programOf(attack(ways), { ...at(folder), sealed }))).toMatchObject({
        code: 0,
        stdout: "tried\n",
      });
      const make =
        "for path in conf here/deep/mcp cursor zed; do mkdir -p $path; echo evil >$path/evil; done; echo ok >here/ok";
      expect(await runScript(sandbox, folder, make, { sealed })).toMatchObject({ code: 0 });
      for (const [name, target] of Object.entries(links)) expect(readlinkSync(join(folder, name))).toBe(target);
      expect(readdirSync(folder).sort()).toEqual([...Object.keys(links), "here"].sort());
      expect(readdirSync(join(folder, "here"))).toEqual(["ok"]);
    });

    it.each([
      ["a", { ".claude": "a", a: "b" }],
      ["a link to nothing", { ".claude": "a", a: "nowhere" }],
      ["one out of the folder", { ".claude": "a", a: "../x" }],
      ["on the way", { ".claude": "a/conf", a: "b" }],
      ["back again", { ".claude": "a/../.claude", a: "b" }],
    ])("that are links through other links are refused: %s", async (_, links) => {
      const folder = makeFolder();
      mkdirSync(join(folder, "b"));
      for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
      const refused = sandbox.enclose(programOf(["true"], { ...at(folder), sealed: ["/workspace/.claude"] }));
      await expect(refused).rejects.toThrow("/workspace/.claude: it is a link that leads through another link.");
      expect(readdirSync(folder).sort()).toEqual([".claude", "a", "b"]);
    });

    it.each([
      ["a sealed folder", ".claude", "a folder"],
      ["a sealed file", ".envrc", "a file"],
      ["a folder on the way to one", "sub", "a folder"],
      ["the place of a missing folder", ".vscode", "nothing"],
    ] as const)(
      "that are exchanged before they are mounted keep the program from beginning: %s",
      async (_, name, was) => {
        const [folder, elsewhere] = [makeFolder(), makeFolder()];
        const place = join(folder, name);
        if (was === "a folder") mkdirSync(place);
        if (was === "a file") writeFileSync(place, "theirs");
        writeFileSync(join(elsewhere, "secret"), "secret");
        const sealed = [".claude", ".envrc", ".vscode", "sub/deep"].map((path) => `/workspace/${path}`);
        const script = `touch ran; cat ${name} ${name}/secret; touch ${name}/evil ${name}/../moved/evil`;
        const enclosure = await sandbox.enclose(programOf(["/bin/sh", "-c", script], { ...at(folder), sealed }));
        renameSync(place, join(folder, "moved"));
        if (was === "a file") writeFileSync(place, "other");
        else if (was === "nothing") symlinkSync("moved", place);
        else symlinkSync(elsewhere, place);
        const came = await follow(start(enclosure), "\n");
        expect(came).toMatchObject({ wasReady: false, stdout: "" });
        expect(came.code).not.toBe(0);
        await enclosure.close();
        expect([existsSync(join(folder, "ran")), readdirSync(elsewhere)]).toEqual([false, ["secret"]]);
      },
    );

    it("lie in a folder that is exchanged before it is mounted: the program does not begin", async () => {
      const top = makeFolder();
      for (const name of ["work", "other"]) mkdirSync(join(top, name));
      const enclosure = await sandbox.enclose(programOf(["touch", "ran"], at(join(top, "work"))));
      renameSync(join(top, "work"), join(top, "moved"));
      renameSync(join(top, "other"), join(top, "work"));
      expect(await follow(start(enclosure), "\n")).toMatchObject({
        code: 125,
        wasReady: false,
        stderr: "/workspace was exchanged by another process while the sandbox was built\n",
      });
      await enclosure.close();
      expect(readdirSync(join(top, "work"))).toEqual([]);
    });

    it("hold for the one who stays when two share a folder", async () => {
      const folder = makeFolder();
      const program = (): EnclosedProgram =>
        programOf(["/bin/sh", "-c", "until [ -e go ]; do sleep 0.01; done; mkdir .git/x || mkdir .git || exit 7"], {
          ...at(folder),
          sealed: ["/workspace/.git"],
        });
      const [first, second] = [await sandbox.enclose(program()), await sandbox.enclose(program())];
      const child = start(second);
      const ended = follow(child, "\n");
      await new Promise((resolve) => (child.stdio[3] as NodeJS.ReadableStream).once("data", resolve));
      await first.close();
      expect(existsSync(join(folder, ".git"))).toBe(true);
      writeFileSync(join(folder, "go"), "");
      expect(await ended).toMatchObject({ code: 7 });
      await second.close();
      expect(readdirSync(folder)).toEqual(["go"]);
    });

    it("leave what somebody else put in their place", async () => {
      const folder = makeFolder();
      const enclosure = await sandbox.enclose(
        programOf(["true"], {
          ...at(folder),
          sealed: ["/workspace/a", "/workspace/b", "/workspace/c", "/workspace/d"],
        }),
      );
      writeFileSync(join(folder, "a/kept"), "");
      rmSync(join(folder, "b"), { recursive: true });
      symlinkSync(folder, join(folder, "b"));
      rmSync(join(folder, "c"), { recursive: true });
      rmSync(join(folder, "d"), { recursive: true });
      await new Promise((resolve) => setTimeout(resolve, 30));
      mkdirSync(join(folder, "d"));
      expect(await enclosure.close()).toEqual([]);
      expect(await enclosure.close()).toEqual([]);
      expect(readdirSync(folder).sort()).toEqual(["a", "b", "d"]);
      expect(readdirSync(join(folder, "a"))).toEqual(["kept"]);
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
