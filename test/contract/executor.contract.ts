/** The contract of the Executor port, for every adapter that runs processes. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SandboxMode } from "../../src/blueprint/blueprint.ts";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import type { Dialogue, Executor, ProcessReport, ProcessRequest } from "../../src/ports/executor.ts";
import {
  makeFolder,
  requestOf as plainRequestOf,
  processesWith,
  RUN,
  removeFolders,
  wallOf,
} from "../support/process-fixture.ts";
import { slowness } from "../support/slowness.ts";

export interface ExecutorUnderTest {
  readonly executor: Executor;
  readonly artifacts: Artifacts;
}

/** `create` is given the project root, the base environment and the redaction to use. */
export function executorContract(
  name: string,
  mode: SandboxMode,
  create: (
    root: string,
    baseEnv: Readonly<Record<string, string>>,
    redact: (text: string) => string,
  ) => ExecutorUnderTest,
): void {
  const isWalled = mode !== "danger_full_access";
  const requestOf = (argv: readonly string[], change: Partial<ProcessRequest> = {}): ProcessRequest =>
    plainRequestOf(argv, { wall: wallOf(mode), ...change });
  const shell = (script: string, change: Partial<ProcessRequest> = {}): ProcessRequest =>
    requestOf(["/bin/sh", "-c", script], change);

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

    it("M5: reports a process that ended well, with its log", async () => {
      const report = await run(shell("echo out; echo err >&2"));
      const { used, ...rest } = report;
      expect(rest).toEqual({ cause: "ok", exit: 0, log: { ...report.log, bytes: 8, dropped: 0 }, artifacts: {} });
      expect(used).toMatchObject({ outputBytes: 8 });
      expect((await logOf(report)).split("\n").sort()).toEqual(["", "err", "out"]);
    });

    it("M5: reports an exit code with the last line of output", async () => {
      const report = await run(shell("echo working; printf 'no such\\033 file\\n\\n' >&2; exit 7"));
      expect(report).toMatchObject({ cause: "exit", exit: 7, error: "sh exited with code 7: no such\\x1b file" });
    });

    it("M5: reports a signal that we did not send", async () => {
      expect(await run(shell("kill -SEGV $$"))).toMatchObject({
        cause: "signal",
        signal: "SIGSEGV",
        error: "sh was ended by SIGSEGV",
      });
    });

    it("M5: takes a SIGKILL without evidence for a signal, whatever the output says", async () => {
      const report = await run(shell("echo 'Out of memory: Killed process 1 (oom)'; kill -KILL $$"));
      expect(report).toMatchObject({ cause: "signal", signal: "SIGKILL" });
    });

    it("M5: ends a process that takes too long, and says so even when it ends well after that", async () => {
      const report = await run(shell("trap 'exit 0' TERM; while :; do sleep 0.02; done", { timeoutMs: 1000 }));
      expect(report).toMatchObject({ cause: "timeout", exit: 0, error: "sh was ended: it ran longer than 1s" });
    });

    it("M3: ends a process that makes no progress for too long, not one that writes or works", async () => {
      const quiet = await run(shell("echo begin; sleep 30", { stallMs: 300 }));
      expect(quiet).toMatchObject({ cause: "stall", error: "sh was ended: it made no progress for 300ms" });
      const busy = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
      expect(await run(shell(busy, { stallMs: 150 }))).toMatchObject({ cause: "ok" });
      expect(await run(shell("for i in 1 2 3 4 5 6; do echo $i; sleep 0.05; done", { stallMs: 300 }))).toMatchObject({
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

    it("ends the process without asking it when it is killed", async () => {
      const control = new AbortController();
      const report = await under.executor.execute(shell("echo started; sleep 30"), control.signal, () =>
        control.abort("kill"),
      );
      expect(report).toMatchObject({ cause: "killed", signal: "SIGKILL", error: "sh was ended on request" });
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
    ])("M5: reports %s as a spawn error", async (_, argv, error) => {
      writeFileSync(join(root, "data"), "no program", { mode: 0o644 });
      const report = await run(requestOf(argv));
      expect(report.cause).toBe("spawn_error");
      expect(report.error).toContain(error);
      expect(report).not.toHaveProperty("output");
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
        output: isWalled ? "/workspace/a/b" : join(root, "a/b"),
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
        ...(isWalled ? [] : ["PATH=/usr/bin:/bin"]),
        "MINE=a b",
        "c",
        `PAWL_RUN=${RUN}`,
        "PAWL_STAGE=build",
        "PAWL_ATTEMPT=3",
        "PAWL_PORT_BASE=20400",
        `PAWL_KEY=${request.key}`,
      ];
      const found = String(report.output).split("\n");
      // A wall sets these itself.
      const own = /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|PWD)=/;
      expect(found.filter((line) => !isWalled || !own.test(line)).sort()).toEqual(expected.sort());
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

    /** Answers each piece of output; `said` is all of it so far. */
    const talking = (
      onBegin: (input: Parameters<Dialogue["begin"]>[0]) => void,
      onSaid: (said: string, input: Parameters<Dialogue["begin"]>[0]) => void | Promise<void> = () => undefined,
    ): Dialogue & { said(): string } => {
      let said = "";
      let own: Parameters<Dialogue["begin"]>[0] | undefined;
      return {
        said: () => said,
        begin: (input) => {
          own = input;
          onBegin(input);
        },
        onOutput: (chunk) => {
          said += Buffer.from(chunk).toString();
          return own === undefined ? undefined : onSaid(said, own);
        },
      };
    };
    const echo = 'while read -r line; do echo "heard $line"; done; echo closed';

    it("talks with a process until the host closes the input", async () => {
      const dialogue = talking(
        (input) => void input.send("one\n"),
        (said, input) => {
          if (said === "heard one\n") void input.send("two s3cret-value\n");
          if (said.endsWith("heard two s3cret-value\n")) input.end();
        },
      );
      const report = await run(shell(echo, { dialogue, timeoutMs: 5000 }));
      // What is said is as it was; what is kept has no secrets.
      expect(dialogue.said()).toBe("heard one\nheard two s3cret-value\nclosed\n");
      expect(await logOf(report)).toBe("heard one\nheard two [redacted:secret]\nclosed\n");
      expect(report).toMatchObject({ cause: "ok", exit: 0 });
    });

    it("hands over standard output alone", async () => {
      const dialogue = talking((input) => input.end());
      const report = await run(shell("echo out; echo err >&2", { dialogue }));
      expect(dialogue.said()).toBe("out\n");
      expect((await logOf(report)).split("\n").sort()).toEqual(["", "err", "out"]);
    });

    it("ends a process that never reads what it is sent, and lets the sender go", async () => {
      let hasTaken = false;
      let sent: Promise<void> | undefined;
      const dialogue = talking((input) => {
        sent = input.send("x".repeat(4_000_000)).then(() => {
          hasTaken = true;
        });
      });
      const running = run(shell("sleep 30", { dialogue, timeoutMs: 300 }));
      await new Promise((done) => setTimeout(done, 150));
      expect(hasTaken).toBe(false);
      expect(await running).toMatchObject({ cause: "timeout" });
      await sent;
    });

    it("drops what is sent to a process that has closed its input or is gone", async () => {
      let later: Parameters<Dialogue["begin"]>[0] | undefined;
      const dialogue = talking(
        (input) => {
          later = input;
        },
        (_, input) => input.send("to nobody\n".repeat(100_000)),
      );
      expect(await run(shell("exec <&-; echo shut; sleep 0.1", { dialogue }))).toMatchObject({ cause: "ok" });
      await later?.send("more\n");
      later?.end();
      await later?.send("more\n");
    });

    it("hands over a giant line whole, and keeps what fits into the log", async () => {
      let bytes = 0;
      const dialogue: Dialogue = {
        begin: (input) => input.end(),
        onOutput: (chunk) => {
          bytes += chunk.length;
        },
      };
      const report = await run(shell("head -c 6000000 /dev/zero | tr '\\0' x", { dialogue }));
      expect({ bytes, cause: report.cause }).toEqual({ bytes: 6_000_000, cause: "ok" });
      expect(report.log.dropped).toBeGreaterThan(3_000_000);
      expect(report.log.bytes).toBeLessThan(3_000_000);
    });

    it("reads no faster than the output is taken, and loses none of it", async () => {
      let atOnce = 0;
      let most = 0;
      let bytes = 0;
      let isWritten = true;
      const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
      const dialogue: Dialogue = {
        begin: (input) => input.end(),
        onOutput: async (chunk) => {
          atOnce += 1;
          most = Math.max(most, atOnce);
          const isFirst = bytes === 0;
          bytes += chunk.length;
          if (isFirst) {
            await wait(200);
            isWritten = bytes > chunk.length || existsSync(join(root, "all-written"));
          }
          await wait(0);
          atOnce -= 1;
        },
      };
      const report = await run(
        shell("head -c 5000000 /dev/zero; touch all-written; echo end", { dialogue, stallMs: 5000 }),
      );
      const { cause } = report;
      expect({ most, bytes, isWritten, cause }).toEqual({ most: 1, bytes: 5_000_004, isWritten: false, cause: "ok" });
    });

    it("does not wait for ever until the last words are taken", async () => {
      let calls = 0;
      const dialogue: Dialogue = {
        begin: (input) => input.end(),
        onOutput: () => {
          calls += 1;
          return new Promise(() => undefined);
        },
      };
      const control = new AbortController();
      const running = under.executor.execute(
        shell("echo one; sleep 0.1; echo two; sleep 30", { dialogue }),
        control.signal,
        () => control.abort(),
      );
      expect(await running).toMatchObject({ cause: "killed" });
      expect(calls).toBe(1);
    });

    it("ends a talk in the middle, with all that the process had started", async () => {
      const control = new AbortController();
      const dialogue = talking(
        (input) => void input.send("one\n"),
        () => control.abort(),
      );
      const script = `sleep 308.2 & ${echo}`;
      expect(await under.executor.execute(shell(script, { dialogue }), control.signal, () => undefined)).toMatchObject({
        cause: "killed",
      });
      expect(processesWith("308.2")).toEqual([]);
      expect(dialogue.said()).toBe("heard one\n");
    });

    it("hears nothing of a process that cannot be started", async () => {
      const dialogue = talking(() => undefined);
      expect(await run(requestOf(["no-such-program-here"], { dialogue }))).toMatchObject({ cause: "spawn_error" });
      expect(dialogue.said()).toBe("");
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
      if (isWalled) expect(path.startsWith("/run/pawl/inputs/")).toBe(true);
    });

    it("takes hidden characters out of the inputs that it is told to, and says how many", async () => {
      const ref = await under.artifacts.put(Buffer.from("a\u200bb\u{e0041}\u202e漢\n"));
      const change = { inputs: { "f.log": ref, "g.log": ref, "h.log": await under.artifacts.put(Buffer.from("x")) } };
      const script = 'cat "$PAWL_INPUT_F_LOG" "$PAWL_INPUT_G_LOG" "$PAWL_INPUT_H_LOG"; ls "${PAWL_INPUT_F_LOG%/*}"';
      const report = await run(shell(script, { ...change, strip: ["f.log", "h.log"], capture: "lines" }));
      expect(report).toMatchObject({
        stripped: { "f.log": 3 },
        output: ["ab漢", "a\u200bb\u{e0041}\u202e漢", "x0-f.log", "1-g.log", "2-h.log"],
      });
      expect((await run(shell("true", change))).stripped).toBeUndefined();
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
      const report = await run(shell("sleep 308.1 & exit 0"));
      expect(report.cause).toBe("ok");
      expect(performance.now() - from).toBeLessThan(1500 * slowness());
      expect(processesWith("308.1")).toEqual([]);
    });

    it("tells what the process has used", async () => {
      const script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo 12345";
      const { used } = await run(shell(script));
      expect(used?.cpuMs).toBeGreaterThan(20);
      expect(used?.peakBytes).toBeGreaterThan(100_000);
      expect(used?.outputBytes).toBe(6);
    });

    it.each([
      [{ outputBytes: 100_000 }, "yes", "resource", "it used more than 97.7 KiB of output"],
      [{ cpuMs: 100 }, "while :; do :; done", "resource", "it used more than 100ms of processor time"],
      [{ processes: 3 }, "sleep 9 & sleep 9 & sleep 9 & sleep 9 & wait", "resource", "it used more than 3 processes"],
      [{ memoryBytes: 32 << 20 }, "x=$(head -c 100000000 /dev/zero | tr '\\0' a); sleep 9", "oom", "32 MiB of memory"],
      [{ fileBytes: 4096 }, "head -c 100000 /dev/zero > file", "resource", "it wrote a file of more than 4 KiB"],
    ] as const)("ends a process that passes the limit %j", async (limits, script, cause, why) => {
      const from = performance.now();
      const report = await run(shell(script, { wall: wallOf(mode, limits) }));
      expect(report).toMatchObject({ cause, error: expect.stringContaining(why) });
      expect(performance.now() - from).toBeLessThan(4000 * slowness());
    });

    it("lets a process be that keeps its limits", async () => {
      const limits = { outputBytes: 6, cpuMs: 5000, processes: 2, memoryBytes: 64 << 20, fileBytes: 4096 };
      const script = "echo 12345; sleep 0.1; head -c 4096 /dev/zero > file";
      expect(await run(shell(script, { wall: wallOf(mode, limits) }))).toMatchObject({ cause: "ok" });
    });

    it("lets a process be that starts one program after the other, as many at a time as it may", async () => {
      const limits = { outputBytes: null, cpuMs: null, processes: 2, memoryBytes: null, fileBytes: null };
      const script = "i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i + 1)); done; echo over";
      expect(await run(shell(script, { wall: wallOf(mode, limits) }))).toMatchObject({ cause: "ok" });
    });

    it("ends what an earlier host left for a key, and only that", async () => {
      const control = new AbortController();
      const mine = shell("echo started; exec sleep 309.1");
      const other = shell("echo started; exec sleep 309.2");
      const started = (request: ProcessRequest): { begun: Promise<void>; done: Promise<ProcessReport> } => {
        let tell: () => void = () => undefined;
        const begun = new Promise<void>((resolve) => {
          tell = resolve;
        });
        return { begun, done: under.executor.execute(request, control.signal, () => tell()) };
      };
      const alive = (): readonly boolean[] => ["309.1", "309.2"].map((words) => processesWith(words).length > 0);
      const first = started(mine);
      const second = started(other);
      await Promise.all([first.begun, second.begun]);
      await new Promise((done) => setTimeout(done, 50));
      await under.executor.reap(mine.key.slice(0, -1));
      expect(alive()).toEqual([true, true]);
      await under.executor.reap(mine.key);
      expect(await first.done).toMatchObject({ cause: "signal", signal: "SIGKILL" });
      expect(alive()).toEqual([false, true]);
      control.abort();
      expect((await second.done).cause).toBe("killed");
    });

    it("gives out what an attempt had written when its host left, until it is forgotten", async () => {
      const control = new AbortController();
      const request = shell("echo before the end; exec sleep 30");
      const heard = new Promise<void>((resolve) => {
        under.executor.execute(request, control.signal, () => resolve()).then(left, left);
      });
      let gone: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        gone = resolve;
      });
      function left(): void {
        gone();
      }
      await heard;
      await new Promise((done) => setTimeout(done, 200));
      control.abort("drain");
      await ended;
      const ref = await under.executor.salvage(request);
      expect(Buffer.from(await under.artifacts.get(ref?.sha256 ?? "")).toString()).toBe("before the end\n");
      // Whoever took it may die before that is recorded.
      expect(await under.executor.salvage(request)).toEqual(ref);
      await under.executor.forget(request);
      await under.executor.forget(request);
      expect(await under.executor.salvage(request)).toBeNull();
      // What it last said of itself stays until its run is over.
      expect(await under.executor.kept()).toEqual([request.run]);
      await under.executor.leave(request.run);
      await under.executor.leave(request.run);
      expect(await under.executor.kept()).toEqual([]);
    });
  });
}
