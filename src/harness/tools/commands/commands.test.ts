import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processesWith } from "../../../../test/support/process-fixture.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { benchOf, rulesOf } from "../../../../test/support/tools/toolbox-fixture.ts";

const ENV = { PATH: "/usr/bin:/bin", GREETING: "hello" };

describe("T5: run_command", () => {
  test("runs a list without a shell, or a text with one, in the workspace", async () => {
    const root = tempDir();
    const { output } = benchOf({ root, env: ENV });
    expect(await output("run_command", { argv: ["printf", "%s|", "$HOME", "a b"] })).toEqual({
      exit: 0,
      output: "$HOME|a b|",
    });
    expect(await output("run_command", { script: 'echo "$GREETING" >made; echo err >&2; exit 3' })).toEqual({
      exit: 3,
      output: "err\n",
    });
    expect(readFileSync(join(root, "made"), "utf8")).toBe("hello\n");
  });

  test("gives a program its variables and its key, and nothing of ours", async () => {
    const { output } = benchOf({ root: tempDir(), env: ENV });
    const { output: text } = (await output("run_command", { argv: ["env"] })) as { output: string };
    const names = text
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names.sort()).toEqual(["GREETING", "PATH", "PAWL_KEY"]);
  });

  test("wants a list or a text, and a program that is there", async () => {
    const { call } = benchOf({ root: tempDir(), env: ENV });
    for (const input of [{}, { argv: [] }, { argv: ["a"], script: "b" }, { script: "" }, { argv: ["a\0b"] }])
      expect(await call("run_command", input)).toMatchObject({ code: "TOOL_INPUT_INVALID" });
    expect(await call("run_command", { argv: ["no-such-program"] })).toMatchObject({
      code: "TOOL_FAILED",
      error: "run_command failed: there is no such program.",
    });
  });

  test("keeps the beginning and the end of a flood, and shows what is hidden", async () => {
    const { output } = benchOf({ root: tempDir(), env: ENV });
    const flood = (await output("run_command", {
      script: "printf '\\033[2Jbegin'; yes | head -c 1000000; printf end",
    })) as {
      output: string;
      dropped: number;
    };
    expect(flood.output.startsWith("\\x1b[2Jbegin")).toBe(true);
    expect(flood.output.endsWith("end")).toBe(true);
    expect(flood.dropped).toBeGreaterThan(800_000);
    expect(flood.output.length).toBeLessThan(150_000);
  });

  test("leaves nothing of its group running, whether it ends, takes too long or is cancelled", async () => {
    const root = tempDir();
    const seconds = { ended: "309.41", late: "309.42", cancelled: "309.43" };
    const script = (name: keyof typeof seconds, then: string): string => `sleep ${seconds[name]} & ${then}`;
    const late = benchOf({ root, env: ENV, timeoutsMs: { long: 100 } });
    const { call } = benchOf({ root, env: ENV });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const outcomes = await Promise.all([
      call("run_command", { script: script("ended", "true") }),
      late.call("run_command", { script: script("late", "sleep 5") }),
      call("run_command", { script: script("cancelled", "trap '' TERM; sleep 5") }, stop.signal),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["success", "failure", "cancelled"]);
    for (const [name, words] of Object.entries(seconds))
      await expect.poll(() => [name, ...processesWith(words)]).toEqual([name]);
  });

  test("is judged by exactly what it runs", async () => {
    const root = tempDir();
    const rules = rulesOf(
      ["allow", { run: ["touch", "*"] }],
      ["allow", { shell: "**" }],
      ["deny", { run: ["rm", "**"] }],
    );
    const { call } = benchOf({ root, env: ENV, rules });
    expect(await call("run_command", { argv: ["touch", "a"] })).toMatchObject({ status: "success" });
    for (const input of [{ argv: ["rm", "a"] }, { argv: ["touch", "a", "b"] }, { script: "true; rm a" }])
      expect(await call("run_command", input)).toMatchObject({ status: "denied" });
    expect(existsSync(join(root, "a"))).toBe(true);
  });
});

describe("T4: run_tests and run_linters", () => {
  test("T4: run what they were given; without anything to run, nothing is verified", async () => {
    const root = tempDir();
    const { output } = benchOf({
      root,
      env: ENV,
      tests: [["true"], ["sh", "-c", "echo red; false"]],
      linters: [["true"]],
    });
    expect(await output("run_tests", {})).toEqual({
      status: "failed",
      results: [
        { argv: ["true"], exit: 0, output: "" },
        { argv: ["sh", "-c", "echo red; false"], exit: 1, output: "red\n" },
      ],
    });
    expect(await output("run_linters", {})).toMatchObject({ status: "passed" });
    const none = benchOf({ root, env: ENV });
    expect(await none.output("run_tests", {})).toEqual({ status: "unverified", results: [] });
  });
});

describe("T5: tools of git", () => {
  test("say what has changed, without running what the repository names", async () => {
    const root = join(tempDir(), "work");
    mkdirSync(root);
    const git = (...args: readonly string[]): void =>
      void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root });
    git("init", "-q", "-b", "main");
    writeFileSync(join(root, "a.txt"), "one\n");
    writeFileSync(join(root, "b.txt"), "b\n");
    writeFileSync(join(root, ".gitattributes"), "*.txt diff=evil\n");
    git("add", "-A");
    git("commit", "-qm", "First\u202E");
    writeFileSync(join(root, "a.txt"), "two\n");
    writeFileSync(join(root, "b.txt"), "c\n");
    for (const [name, value] of [
      ["core.fsmonitor", "touch fsmonitor; false"],
      ["core.hooksPath", "."],
      ["core.pager", "touch pager"],
      ["diff.external", "touch external"],
      ["diff.evil.textconv", "touch textconv;"],
      ["diff.evil.command", "touch command"],
    ] as const)
      git("config", name, value);
    const { output, error, call } = benchOf({ root, env: ENV });
    expect(await output("git_status", {})).toBe("## main\n M a.txt\n M b.txt\n");
    expect(await output("git_diff", { paths: ["a.txt"] })).toMatch(/-one\n\+two\n$/);
    expect(await output("git_diff", { staged: true })).toBe("");
    expect(await output("git_log", { count: 5 })).toMatch(/^[0-9a-f]+ \S+ a: First\\u202e\n$/);
    for (const name of ["fsmonitor", "pager", "external", "textconv", "command"])
      expect(existsSync(join(root, name)), name).toBe(false);
    expect(await call("git_log", { count: 0 })).toMatchObject({ code: "TOOL_INPUT_INVALID" });
    expect(await output("git_diff", { paths: ["--output=evil", "../x"].slice(0, 1) })).toBe("");
    expect(existsSync(join(root, "evil"))).toBe(false);
    const bare = benchOf({ root: tempDir(), env: ENV });
    expect(await bare.error("git_status", {})).toContain("not a git repository");
    expect(await error("git_diff", { paths: ["../../x"] })).toContain("outside repository");
  });
});
