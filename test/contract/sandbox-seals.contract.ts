/** What every sandbox promises of the paths that are sealed in it: src/ports/sandbox.ts. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
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
import { BEHIND, type EnclosedProgram, type Mount, type Sandbox } from "../../src/ports/sandbox.ts";
import { makeFolder } from "../support/process-fixture.ts";
import { follow, programOf, runEnclosed, runScript, start } from "../support/sandbox-fixture.ts";

export function sandboxSealsContract(name: string, make: () => Sandbox): void {
  const sandbox = make();
  const at = (folder: string, access: Mount["access"] = "write"): Pick<EnclosedProgram, "mounts" | "cwd"> => ({
    mounts: [{ from: folder, to: BEHIND.workspace, access }],
    cwd: BEHIND.workspace,
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
}
