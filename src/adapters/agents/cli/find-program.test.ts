import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { behindWall, findProgram, onThisMachine } from "./find-program.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-program-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, mode = 0o755): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, path.endsWith(".json") ? "{}" : "#!/bin/sh\n");
  chmodSync(file, mode);
  return file;
}

const NATIVE = [{ pkg: "@o/agent-linux", path: "vendor/agent" }];

test("a starter on PATH stands for the real program that its package brings", () => {
  const starter = put("lib/node_modules/@o/agent/bin/agent.js");
  put("lib/node_modules/@o/agent-linux/package.json", 0o644);
  const real = put("lib/node_modules/@o/agent-linux/vendor/agent");
  mkdirSync(join(folder, "bin"));
  symlinkSync(starter, join(folder, "bin", "agent"));
  const found = findProgram({ name: "agent", native: NATIVE }, `relative:${join(folder, "bin")}`);
  expect(found).toEqual({ file: real, root: join(folder, "lib/node_modules/@o/agent-linux") });
  expect(behindWall(found as NonNullable<typeof found>, "/node")).toEqual({
    argv: ["/run/pawl/agent/vendor/agent"],
    mount: { from: join(folder, "lib/node_modules/@o/agent-linux"), to: "/run/pawl/agent", access: "read" },
  });
});

test("a script of Node is run by Node, from its package", () => {
  const file = put("node_modules/agent/bundle/agent.js", 0o644);
  const found = { file, root: join(folder, "node_modules/agent") };
  expect(findProgram({ name: "agent.js", native: NATIVE }, dirname(file))).toEqual(found);
  expect(behindWall(found, "/node").argv).toEqual(["/node", "/run/pawl/agent/bundle/agent.js"]);
  expect(onThisMachine(found, "/node")).toEqual(["/node", file]);
});

test("a program outside any package is shown alone", () => {
  const file = put("bin/agent");
  const found = findProgram({ name: "agent" }, join(folder, "bin"));
  expect(found).toEqual({ file, root: file });
  expect(behindWall({ file, root: file }, "/node")).toEqual({
    argv: ["/run/pawl/agent/agent"],
    mount: { from: file, to: "/run/pawl/agent/agent", access: "read" },
  });
});

test("what is missing, a folder or no program is not installed", () => {
  mkdirSync(join(folder, "bin", "agent"), { recursive: true });
  put("other/agent", 0o644);
  expect(findProgram({ name: "agent" }, `${join(folder, "bin")}:${join(folder, "other")}:${folder}`)).toBeNull();
});
