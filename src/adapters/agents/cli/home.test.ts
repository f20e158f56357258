import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareHome } from "./home.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-home-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "left");
  return file;
}

const SPEC = { kept: [".agent/sessions", ".agent/state.db"], files: { ".agent/config.toml": "[a]\n" } };

test("settings are shown read-only in their places, from outside the home", async () => {
  const mounts = await prepareHome(folder, SPEC);
  expect(mounts).toEqual([
    { from: join(folder, "own"), to: "/home/pawl", access: "write" },
    { from: join(folder, "given", "0"), to: "/home/pawl/.agent/config.toml", access: "read" },
  ]);
  expect(readFileSync(join(folder, "given", "0"), "utf8")).toBe("[a]\n");
});

test("sessions stay; rules, plugins and settings that an agent has left for itself go", async () => {
  const stays = [put("own/.agent/sessions/1.jsonl"), put("own/.agent/state.db")];
  const goes = ["own/.agent/hooks.json", "own/.agent/rules/default.rules", "own/.config/x", "given/7"].map(put);
  await prepareHome(folder, SPEC);
  expect(stays.map((path) => existsSync(path))).toEqual([true, true]);
  expect(goes.map((path) => existsSync(path))).toEqual([false, false, false, false]);
});

test("a link that an agent has left is removed and not followed", async () => {
  const outside = put("outside/keep.txt");
  mkdirSync(join(folder, "own", ".agent"), { recursive: true });
  symlinkSync(join(folder, "outside"), join(folder, "own", ".agent", "sessions"));
  symlinkSync(outside, join(folder, "own", ".agent", "state.db"));
  await prepareHome(folder, SPEC);
  expect(existsSync(join(folder, "own", ".agent", "sessions"))).toBe(false);
  expect(existsSync(join(folder, "own", ".agent", "state.db"))).toBe(false);
  rmSync(join(folder, "own"), { recursive: true });
  mkdirSync(join(folder, "own"));
  symlinkSync(join(folder, "outside"), join(folder, "own", ".agent"));
  await prepareHome(folder, SPEC);
  expect(existsSync(join(folder, "own", ".agent"))).toBe(false);
  expect(readFileSync(outside, "utf8")).toBe("left");
});
