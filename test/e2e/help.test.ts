import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { COMMANDS, GROUPS } from "../../src/cli/commands.ts";
import { EXIT_MEANINGS } from "../../src/cli/exit-codes.ts";
import { BIN, createProject } from "../support/cli.ts";

const project = createProject();
afterAll(() => project.remove());

describe("help", () => {
  it("shows every command by what a person wants to do", async () => {
    const { code, stdout, stderr } = await project.pawl();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatchSnapshot();
    expect((await project.pawl("help")).stdout).toBe(stdout);
    expect((await project.pawl("--help")).stdout).toBe(stdout);
  });

  it.each(Object.keys(COMMANDS))("tells usage, options, examples and exit codes of %s", async (name) => {
    const spec = await COMMANDS[name]?.load();
    expect(spec?.name).toBe(name);
    expect(spec?.summary).toBe(COMMANDS[name]?.summary);
    expect(spec?.examples.length).toBeGreaterThanOrEqual(2);
    expect(spec?.examples.length).toBeLessThanOrEqual(4);
    expect(spec?.exits.every((code) => EXIT_MEANINGS[code] !== undefined)).toBe(true);
    const { code, stdout } = await project.pawl(name, "--help");
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
    expect((await project.pawl("help", name)).stdout).toBe(stdout);
  });

  it("has every command in the table of the README, in the same order", () => {
    const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
    const rows = Object.keys(GROUPS).map(
      (group) => new RegExp(`^\\| ${group} \\| (.*) \\|$`, "m").exec(readme)?.[1] ?? "",
    );
    const named = rows.map((row) => [...row.matchAll(/`([a-z]+)/g)].map(([, name]) => name));
    const grouped = Object.keys(GROUPS).map((group) =>
      Object.keys(COMMANDS).filter((name) => COMMANDS[name]?.group === group),
    );
    expect(named).toEqual(grouped);
  });

  it("prints the version and loads nothing else for it", async () => {
    expect((await project.pawl("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const [{ value }, before] = [await project.json("--version"), await project.pawl("--json", "-V")];
    expect(value).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect(JSON.parse(before.stdout)).toEqual(value);
    const env = { PATH: process.env["PATH"], NODE_DEBUG: "esm" };
    const loaded = (argument: string): string =>
      spawnSync(process.execPath, [BIN, argument], { encoding: "utf8", env }).stderr;
    expect(loaded("--help")).toContain("run-cli");
    expect(loaded("-V")).not.toContain("run-cli");
  });
});

describe("wrong usage", () => {
  it.each([
    ["an unknown command", ["rnu"], 'Did you mean "run"?'],
    ["an unknown option", ["run", "x", "--levle", "L1"], "Did you mean --level?"],
    ["an unknown option without a command", ["--bogus"], "Unknown option '--bogus'"],
    ["a missing argument", ["run"], "Missing required argument 'blueprint'"],
    ["an argument too many", ["show", "a", "b"], "Too many arguments"],
    ["a wrong choice", ["run", "x", "--level", "L7"], "Allowed choices are L0, L1, L2, L3."],
    ["a wrong number", ["status", "--limit", "many"], "It must be a whole number of at least 1."],
    ["a wrong parameter", ["run", "x", "--param", "novalue"], "not a parameter of the form name=value"],
    ["help about nothing", ["help", "rnu"], 'Did you mean "run"?'],
    ["jsonl where there is no stream", ["show", "@last", "--jsonl"], "Unknown option '--jsonl'"],
    ["both formats", ["run", "x", "--json", "--jsonl"], "--json"],
    ["verify without anything", ["verify"], "Give either a run or --all."],
    ["watch for programs", ["status", "--watch", "--json"], "--watch is for people"],
    ["a root that is not there", ["list", "-C", "/nowhere/at/all"], "PROJECT_ROOT_MISSING"],
  ])("refuses %s with a sentence and code 3", async (_what, args, message) => {
    const { code, stdout, stderr } = await project.pawl(...args);
    expect(code).toBe(3);
    expect(stdout + stderr).toContain(message);
  });

  it("explains codes, and helps with a mistyped one", async () => {
    expect((await project.pawl("explain", "run_held")).stdout).toContain(
      "Two hosts of one run would repeat its effects.",
    );
    const wrong = await project.pawl("explain", "RUN_HELT");
    expect([wrong.code, wrong.stderr.includes('Did you mean "RUN_HELD"?')]).toEqual([3, true]);
    const all = await project.json("explain", "--all");
    expect((all.value as { errors: unknown[] }).errors.length).toBeGreaterThan(50);
    expect((await project.pawl("explain")).code).toBe(3);
  });

  it("prints the schema of blueprints", async () => {
    const schema = await project.json("schema");
    expect(schema).toMatchObject({ code: 0, value: { type: "object" } });
  });
});
