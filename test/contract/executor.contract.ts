/** The contract of the Executor port, for every adapter that runs processes. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import type { Executor, ProcessReport, ProcessRequest } from "../../src/ports/executor.ts";
import { isGone, makeFolder, RUN, removeFolders, requestOf, shell } from "../support/process-fixture.ts";

export interface ExecutorUnderTest {
  readonly executor: Executor;
  readonly artifacts: Artifacts;
}

/** `create` is given the project root, the base environment and the redaction to use. */
export function executorContract(
  name: string,
  create: (
    root: string,
    baseEnv: Readonly<Record<string, string>>,
    redact: (text: string) => string,
  ) => ExecutorUnderTest,
): void {
  describe(`Executor contract: ${name}`, () => {
    let root: string;
    let under: ExecutorUnderTest;
    beforeEach(() => {
      root = makeFolder();
      under = create(root, { PATH: "/usr/bin:/bin" }, (text) => text.replaceAll("s3cret-value", "[redacted:secret]"));
    });
    afterEach(removeFolders);

    const never = (): AbortSignal => new AbortController().signal;
    const run = (request: ProcessRequest): Promise<ProcessReport> =>
      under.executor.execute(request, never(), () => undefined);
    const logOf = async (report: ProcessReport): Promise<string> =>
      Buffer.from(await under.artifacts.get(report.log.sha256)).toString();

    it("reports a process that ended well, with its log", async () => {
      const report = await run(shell("echo out; echo err >&2"));
      expect(report).toEqual({ cause: "ok", exit: 0, log: { ...report.log, bytes: 8, dropped: 0 }, artifacts: {} });
      expect((await logOf(report)).split("\n").sort()).toEqual(["", "err", "out"]);
    });

    it("reports an exit code with the last line of output", async () => {
      const report = await run(shell("echo working; printf 'no such\\033 file\\n\\n' >&2; exit 7"));
      expect(report).toMatchObject({ cause: "exit", exit: 7, error: "sh exited with code 7: no such\\x1b file" });
    });

    it("reports a signal that we did not send", async () => {
      expect(await run(shell("kill -SEGV $$"))).toMatchObject({
        cause: "signal",
        signal: "SIGSEGV",
        error: "sh was ended by SIGSEGV",
      });
    });

    it("takes a SIGKILL without evidence for a signal, whatever the output says", async () => {
      const report = await run(shell("echo 'Out of memory: Killed process 1 (oom)'; kill -KILL $$"));
      expect(report).toMatchObject({ cause: "signal", signal: "SIGKILL" });
    });

    it("ends a process that takes too long, and says so even when it ends well after that", async () => {
      const report = await run(shell("trap 'exit 0' TERM; while :; do sleep 0.02; done", { timeoutMs: 150 }));
      expect(report).toMatchObject({ cause: "timeout", exit: 0, error: "sh was ended: it ran longer than 150ms" });
    });

    it("ends a process that writes nothing for too long, not one that writes", async () => {
      const quiet = await run(shell("echo begin; sleep 30", { stallMs: 150 }));
      expect(quiet).toMatchObject({ cause: "stall", error: "sh was ended: it wrote nothing for 150ms" });
      expect(await run(shell("for i in 1 2 3 4 5 6; do echo $i; sleep 0.05; done", { stallMs: 250 }))).toMatchObject({
        cause: "ok",
      });
    });

    it("ends the process when asked to", async () => {
      const control = new AbortController();
      const report = await under.executor.execute(shell("echo started; sleep 30"), control.signal, () =>
        control.abort(),
      );
      expect(report).toMatchObject({ cause: "killed", signal: "SIGTERM", error: "sh was ended on request" });
      expect(await logOf(report)).toBe("started\n");
    });

    it("starts nothing when it was asked to end before", async () => {
      const report = await under.executor.execute(shell("touch started"), AbortSignal.abort(), () => undefined);
      expect(report).toEqual({
        cause: "killed",
        error: "sh was not started: the run was ended",
        log: { ...report.log, bytes: 0, dropped: 0 },
        artifacts: {},
      });
      expect((await run(shell("test ! -e started"))).cause).toBe("ok");
    });

    it.each([
      [
        "an unknown program",
        ["no-such-program-here"],
        "no-such-program-here could not be started: no such program on PATH",
      ],
      ["a file that is no program", ["./data"], "data could not be started: it is not an executable file"],
      ["no program", [], "the program could not be started: there is no program to start"],
      ["an empty name", [""], "the program could not be started: there is no program to start"],
      ["a NUL character", ["echo", "a\0b"], "echo could not be started: an argument contains a NUL character"],
      [
        "a huge argument",
        ["echo", "x".repeat(4 * 1024 * 1024)],
        "echo could not be started: its arguments and environment are too large",
      ],
    ])("reports %s as a spawn error", async (_, argv, error) => {
      writeFileSync(join(root, "data"), "no program", { mode: 0o644 });
      const report = await run(requestOf(argv));
      expect(report.cause).toBe("spawn_error");
      expect(report.error).toContain(error);
      expect(report.log.bytes).toBe(0);
    });

    it.each(["..", "/", "link", "missing", "data", "link/../.."])("refuses to work in %s", async (cwd) => {
      symlinkSync("/", join(root, "link"));
      writeFileSync(join(root, "data"), "");
      expect(await run(shell("pwd", { cwd }))).toMatchObject({ cause: "spawn_error" });
    });

    it("works in the folder it is given", async () => {
      mkdirSync(join(root, "a/b"), { recursive: true });
      expect(await run(shell("pwd", { cwd: "a/b", capture: "text" }))).toMatchObject({
        cause: "ok",
        output: join(root, "a/b"),
      });
    });

    it("gives the process exactly the environment that is listed", async () => {
      const request = requestOf(["/usr/bin/env"], {
        env: { MINE: "a b\nc", PAWL_KEY: "forged" },
        capture: "text",
        attempt: 3,
      });
      const report = await run(request);
      const expected = [
        "PATH=/usr/bin:/bin",
        "MINE=a b",
        "c",
        `PAWL_RUN=${RUN}`,
        "PAWL_STAGE=build",
        "PAWL_ATTEMPT=3",
        `PAWL_KEY=${request.key}`,
      ];
      expect(String(report.output).split("\n").sort()).toEqual(expected.sort());
    });

    it("refuses names and values that no environment can hold", async () => {
      expect(await run(shell("true", { env: { "A=B": "c" } }))).toMatchObject({ cause: "spawn_error" });
      expect(await run(shell("true", { env: { A: "b\0c" } }))).toMatchObject({ cause: "spawn_error" });
    });

    it("closes standard input", async () => {
      expect(await run(shell("cat; read x || echo closed", { capture: "text", timeoutMs: 5000 }))).toMatchObject({
        cause: "ok",
        output: "closed",
      });
    });

    it("captures standard output only, without its last line end", async () => {
      expect((await run(shell("echo a; echo b; echo no >&2", { capture: "text" }))).output).toBe("a\nb");
      expect((await run(shell("echo a; echo b; echo no >&2", { capture: "lines" }))).output).toEqual(["a", "b"]);
      expect((await run(shell("true", { capture: "lines" }))).output).toEqual([]);
      expect((await run(shell("echo '{\"a\":[1,null]}'", { capture: "json" }))).output).toEqual({ a: [1, null] });
      expect((await run(shell("echo null", { capture: "json" }))).output).toBeNull();
      expect(await run(shell("echo a; exit 1", { capture: "text" }))).not.toHaveProperty("output");
    });

    it.each([
      ["text that is not JSON", "echo '{oops'", "sh ended well, but its standard output is not JSON"],
      ["nothing", "true", "sh ended well, but its standard output is not JSON: it is empty"],
      ["a number beyond all numbers", "echo '[1e999]'", "has a number that is too large"],
      [
        "too many levels",
        "printf '%0200d' 0 | tr 0 '['; printf '%0200d' 0 | tr 0 ']'",
        "is nested deeper than 100 levels",
      ],
      [
        "more than a megabyte",
        "head -c 1048577 /dev/zero | tr '\\0' 1",
        "sh ended well, but its standard output is larger than 1 MiB",
      ],
    ])("refuses to capture %s", async (_, script, error) => {
      const report = await run(shell(script, { capture: "json" }));
      expect(report).toMatchObject({ cause: "invalid_output", exit: 0 });
      expect(report.error).toContain(error);
      expect(report).not.toHaveProperty("output");
    });

    it("masks secrets in the log, the live output, the captured value and the error", async () => {
      const seen: string[] = [];
      const script =
        "printf 's3cret-'; sleep 0.05; echo value; printf 's3cret-' >&2; sleep 0.05; echo other; echo value >&2";
      const report = await under.executor.execute(shell(script, { capture: "lines" }), never(), (text) =>
        seen.push(text),
      );
      expect(report.output).toEqual(["[redacted:secret]", "other"]);
      expect((await logOf(report)).split("\n").sort()).toEqual(["", "[redacted:secret]", "[redacted:secret]", "other"]);
      expect(seen.join("")).not.toContain("s3cret-");
      expect((await run(shell("echo s3cret-value; exit 2"))).error).toBe("sh exited with code 2: [redacted:secret]");
      const json = await run(shell('echo \'{"a":["s3cret-value"]}\'', { capture: "json" }));
      expect(json.output).toEqual({ a: ["[redacted:secret]"] });
    });

    it("shows output while the process runs", async () => {
      const control = new AbortController();
      const seen: string[] = [];
      await under.executor.execute(shell("echo one; sleep 30"), control.signal, (text) => {
        seen.push(text);
        control.abort();
      });
      expect(seen).toEqual(["one\n"]);
    });

    it("lays out inputs as files and takes them away afterwards", async () => {
      const ref = await under.artifacts.put(Buffer.from("input\n"));
      const request = shell('cat "$PAWL_INPUT_SCAN_LOG"; echo "$PAWL_INPUT_SCAN_LOG"', {
        inputs: { "scan.log": ref },
        capture: "lines",
      });
      const [content, path] = (await run(request)).output as [string, string];
      expect(content).toBe("input");
      expect((await run(shell(`test ! -e '${path}'`))).cause).toBe("ok");
    });

    it("refuses two inputs that would have the same variable", async () => {
      const ref = await under.artifacts.put(Buffer.from("x"));
      expect(await run(shell("true", { inputs: { "a.b": ref, a_b: ref } }))).toMatchObject({ cause: "spawn_error" });
    });

    it("stores the outputs of a process that ended well", async () => {
      const outputs = [{ name: "report", path: "out/report.txt" }];
      const report = await run(shell("mkdir out; printf done > out/report.txt", { outputs }));
      expect(report.artifacts).toEqual({ report: await under.artifacts.put(Buffer.from("done")) });
      expect((await run(shell("exit 3", { outputs }))).artifacts).toEqual({});
    });

    it.each([
      ["is missing", "true"],
      ["is a link", "ln -s /etc/hostname report.txt"],
      ["is a folder", "mkdir report.txt"],
      ["is a pipe", "mkfifo report.txt"],
      ["is too large", "head -c 4000000 /dev/zero > report.txt"],
    ])("does not accept an output that %s", async (_, script) => {
      const report = await run(shell(script, { outputs: [{ name: "report", path: "report.txt" }] }));
      expect(report).toMatchObject({ cause: "invalid_output", exit: 0, artifacts: {} });
      expect(report.error).toContain("its output report");
    });

    it("does not follow a link to an output outside", async () => {
      const report = await run(shell("ln -s /etc out", { outputs: [{ name: "report", path: "out/hostname" }] }));
      expect(report).toMatchObject({ cause: "invalid_output", artifacts: {} });
    });

    it("is not held up by a background process that keeps its pipe, and leaves none behind", async () => {
      const from = performance.now();
      const report = await run(shell("sleep 308 & echo $!", { capture: "text" }));
      expect(report.cause).toBe("ok");
      expect(performance.now() - from).toBeLessThan(3000);
      expect(isGone(Number(report.output))).toBe(true);
    });

    it("ends what an earlier host left for a key, and only that", async () => {
      const control = new AbortController();
      const mine = shell("echo $$; sleep 309");
      const other = shell("echo $$; sleep 309");
      const started = (request: ProcessRequest): { pid: Promise<number>; done: Promise<ProcessReport> } => {
        let tell: (pid: number) => void = () => undefined;
        const pid = new Promise<number>((resolve) => {
          tell = resolve;
        });
        return { pid, done: under.executor.execute(request, control.signal, (text) => tell(Number(text))) };
      };
      const first = started(mine);
      const second = started(other);
      const pids = [await first.pid, await second.pid];
      await under.executor.reap(mine.key.slice(0, -1));
      expect(pids.map(isGone)).toEqual([false, false]);
      await under.executor.reap(mine.key);
      expect(await first.done).toMatchObject({ cause: "signal", signal: "SIGKILL" });
      expect(isGone(pids[1] as number)).toBe(false);
      control.abort();
      expect((await second.done).cause).toBe("killed");
    });
  });
}
