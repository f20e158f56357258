/** The process executor against processes that flood, hide, hold on and break rules. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import type { ProcessExecutorOptions } from "../../src/adapters/process/executor.ts";
import { createLines, createLog, type LogCap, redactBytes } from "../../src/adapters/process/output/capture.ts";
import { createLiveOutput } from "../../src/adapters/process/output/live-output.ts";
import { after, watchSilence } from "../../src/adapters/process/watch/deadline.ts";
import { countOomKills } from "../../src/adapters/process/watch/proc.ts";
import { createRedactor } from "../../src/base/redact.ts";
import type { Executor, ProcessReport, ProcessRequest } from "../../src/ports/executor.ts";
import { executorIn, isGone, makeFolder, removeFolders, requestOf, shell } from "../support/process-fixture.ts";

const TREE = resolve("test/support/stubborn-tree.sh");
const artifacts = createMemoryArtifacts({ maxBytes: 64 << 20 });
const { text: redact } = createRedactor({ secrets: ["open-sesame-42"] });

const executorOn = (root: string, change: Partial<ProcessExecutorOptions> = {}): Executor =>
  executorIn(root, { artifacts, redact, ...change });

const run = (request: ProcessRequest, change: { logCap?: LogCap } = {}): Promise<ProcessReport> =>
  executorOn(makeFolder(), change).execute(request, new AbortController().signal, () => undefined);
const logOf = async (report: ProcessReport): Promise<Buffer> => Buffer.from(await artifacts.get(report.log.sha256));

afterEach(removeFolders);

describe("descendants", () => {
  const pidsIn = (log: string): Record<string, number> =>
    Object.fromEntries([...log.matchAll(/^(\w+) (\d+)$/gm)].map(([, name, pid]) => [name, Number(pid)]));

  it("M2: that ignore the polite signal, left the session or forked twice are gone after a timeout", async () => {
    const report = await run(requestOf(["/bin/sh", TREE], { timeoutMs: 300 }));
    expect(report).toMatchObject({ cause: "timeout", signal: "SIGKILL" });
    const pids = pidsIn((await logOf(report)).toString());
    expect(Object.keys(pids).sort()).toEqual(["child", "double", "self", "session"]);
    expect(Object.values(pids).filter((pid) => !isGone(pid))).toEqual([]);
  });

  it("that left the session are gone after a process that ended well", async () => {
    const report = await run(shell("setsid sleep 311 >/dev/null 2>&1 & echo $!; sleep 0.05", { capture: "text" }));
    expect(report.cause).toBe("ok");
    expect(isGone(Number(report.output))).toBe(true);
  });

  it("of a host that was killed are found by their key and ended, and their inputs removed", async () => {
    const root = makeFolder();
    const key = `r_abc:deploy:${process.pid}`;
    const child = spawn("/bin/sh", [TREE], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: "/usr/bin:/bin", PAWL_KEY: key },
    });
    let log = "";
    await new Promise<void>((done) => {
      child.stdout.on("data", (chunk) => {
        log += chunk;
        if (/double \d+/.test(log)) done();
      });
    });
    const executor = executorOn(root);
    await executor.reap(`${key}0`);
    expect(Object.values(pidsIn(log)).filter(isGone)).toEqual([]);
    await executor.reap(key);
    expect(Object.values(pidsIn(log)).filter((pid) => !isGone(pid))).toEqual([]);
    await executor.reap(key);
  });

  it("leave no laid out input of a dead host behind once it is reaped", async () => {
    const root = makeFolder();
    const executor = executorOn(root);
    const ref = await artifacts.put(Buffer.from("x"));
    const mine = shell('echo "$PAWL_INPUT_A"', { inputs: { a: ref }, capture: "text" });
    const report = await executor.execute(mine, new AbortController().signal, () => undefined);
    const left = join(String(report.output), "..");
    mkdirSync(left);
    mkdirSync(join(root, "temp/other"));
    await executor.reap(mine.key);
    expect(readdirSync(join(root, "temp"))).toEqual(["other"]);
  });
});

describe("log", () => {
  it("has exactly the bytes that were written, also when they are not text and arrive in any pieces", async () => {
    const root = makeFolder();
    const bytes = Buffer.concat([
      Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 2654435761) >>> 24)),
      Buffer.from("grüße 世界 🚀\n".repeat(20_000)),
      Buffer.from("no line end"),
    ]);
    writeFileSync(join(root, "bytes"), bytes);
    const report = await executorOn(root).execute(
      shell("dd if=bytes bs=1021 2>/dev/null"),
      new AbortController().signal,
      () => undefined,
    );
    expect(report.log).toMatchObject({ bytes: bytes.length, dropped: 0 });
    expect(Buffer.compare(await logOf(report), bytes)).toBe(0);
  });

  it("keeps the first and the last lines of a flood and counts the rest", async () => {
    const report = await run(shell("seq 1 200000; echo open-sesame-42"), {
      logCap: { headBytes: 1000, tailBytes: 1000 },
    });
    const log = (await logOf(report)).toString();
    const [head = "", tail = ""] = log.split(/\n\[pawl: \d+ bytes left out here\]\n/);
    const total =
      Array.from({ length: 200_000 }, (_, i) => String(i + 1).length + 1).reduce((sum, size) => sum + size, 0) + 15;
    expect(head.startsWith("1\n2\n3\n")).toBe(true);
    expect(tail.endsWith("199999\n200000\n[redacted:secret]\n")).toBe(true);
    expect(report.log.dropped + head.length + tail.length).toBe(
      total - "open-sesame-42".length + "[redacted:secret]".length,
    );
  });

  it("does not keep a part of a secret where it was cut", async () => {
    const report = await run(shell("for i in $(seq 200); do printf 'open-sesame-42 '; done"), {
      logCap: { headBytes: 100, tailBytes: 100 },
    });
    const log = (await logOf(report)).toString();
    expect(log).toMatch(/^(\[redacted:secret\] )+\n\[pawl: \d+ bytes left out here\]\n(\[redacted:secret\] )+$/);
  });

  it("M6: of 100 MB takes no more memory than one of 1 MB, and the process ends in time", async () => {
    const megabytes = 100;
    const before = process.memoryUsage().rss;
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 10);
    let shown = 0;
    const executor = executorOn(makeFolder());
    const report = await executor.execute(
      shell(`yes 0123456789abcdef | head -c ${megabytes}000000`),
      new AbortController().signal,
      (text) => {
        shown += text.length;
      },
    );
    clearInterval(timer);
    expect(report).toMatchObject({ cause: "ok" });
    expect(report.log.bytes + report.log.dropped).toBeGreaterThanOrEqual(megabytes * 1e6);
    expect(report.log.bytes).toBeLessThan(2.2 * 1024 * 1024);
    expect(peak - before).toBeLessThan(80 * 1024 * 1024);
    expect(shown).toBeLessThan(megabytes * 1e6);
  });
});

describe("redactBytes", () => {
  it("masks a secret among bytes that are not text and leaves those as they are", () => {
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0x00, 0xfe]),
      Buffer.from(" open-sesame-42 "),
      Buffer.from([0xc3]),
    ]);
    const expected = Buffer.concat([
      Buffer.from([0xff, 0x00, 0xfe]),
      Buffer.from(" [redacted:secret] "),
      Buffer.from([0xc3]),
    ]);
    expect(redactBytes(bytes, redact)).toEqual(expected);
  });

  it("lets the secret go first when it can only be found as text", () => {
    const { text } = createRedactor({ secrets: ["geheimnis-für-dich"] });
    const masked = redactBytes(Buffer.concat([Buffer.from([0xff]), Buffer.from("geheimnis-für-dich")]), text);
    expect(masked.toString()).toBe("\ufffd[redacted:secret]");
  });
});

describe("lines", () => {
  it("are passed on whole, each stream for itself, and nothing is lost", () => {
    const got: string[] = [];
    const out = createLines((lines) => got.push(Buffer.from(lines).toString()));
    const err = createLines((lines) => got.push(Buffer.from(lines).toString()));
    for (const part of ["a", "b", "\nc"]) out.write(Buffer.from(part));
    err.write(Buffer.from("x\ny"));
    for (let i = 0; i < 200; i += 1) out.write(Buffer.from("."));
    out.end();
    err.end();
    out.end();
    expect(got).toEqual(["ab\n", "x\n", `c${".".repeat(200)}`, "y"]);
  });

  it("without an end are not kept for ever", () => {
    let passed = 0;
    const out = createLines((lines) => {
      passed += lines.length;
    });
    for (let i = 0; i < 100; i += 1) out.write(Buffer.alloc(1000, "a"));
    expect(passed).toBeGreaterThan(60_000);
  });

  it("are all in a log that keeps nothing but its end", () => {
    const log = createLog({ headBytes: 0, tailBytes: 8 });
    log.write(Buffer.from("0123456789\nabc\n"));
    expect(log.finish(redact).bytes.toString()).toBe("\n[pawl: 11 bytes left out here]\nabc\n");
    const none = createLog({ headBytes: 0, tailBytes: 0 });
    none.write(Buffer.from("abc"));
    expect(none.finish(redact)).toEqual({ bytes: Buffer.from("\n[pawl: 3 bytes left out here]\n"), dropped: 3 });
  });
});

describe("live output", () => {
  it("says how much it did not show of a flood", () => {
    const seen: string[] = [];
    const live = createLiveOutput(redact, (text) => seen.push(text));
    for (let i = 0; i < 20; i += 1) live.write(Buffer.from(`${"x".repeat(9_999)}\n`));
    live.end();
    expect(seen.join("")).toMatch(/\[pawl: 1[0-9]0000 bytes not shown\]\n/);
    expect(seen.join("").length).toBeLessThan(90_000);
  });

  it("waits for the end of a private key, and shows a line without an end but for its last part", () => {
    const seen: string[] = [];
    const live = createLiveOutput(redact, (text) => seen.push(text));
    live.write(Buffer.from(`-----BEGIN ${"PRIVATE"} KEY-----\n`));
    live.write(Buffer.from(`abcd\n-----END ${"PRIVATE"} KEY-----\n`));
    live.end();
    expect(seen.join("")).toBe("[redacted:private-key]\n");
    const long: string[] = [];
    const endless = createLiveOutput(redact, (text) => long.push(text));
    endless.write(Buffer.alloc(70_000, "a"));
    expect(long.join("").length).toBe(70_000 - 4096);
    endless.end();
    expect(long.join("").length).toBe(70_000);
  });
});

describe("time", () => {
  it("of more than 24 days is not taken for none", async () => {
    let fired = 0;
    const cancel = after(2 ** 31 + 1000, () => {
      fired += 1;
    });
    const silence = watchSilence(2 ** 32, () => {
      fired += 1;
    });
    await new Promise((done) => setTimeout(done, 30));
    cancel();
    silence.cancel();
    expect(fired).toBe(0);
    expect(await run(shell("echo ok", { timeoutMs: 2 ** 40, stallMs: 2 ** 40 }))).toMatchObject({ cause: "ok" });
  });
});

describe("resources", () => {
  it("that are lacking are named as the cause", async () => {
    const script = 'ulimit -n 64; exec "$0" node_modules/tsx/dist/cli.mjs test/support/starved-host.ts';
    const child = spawn("/bin/sh", ["-c", script, process.execPath], { stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    await new Promise((done) => child.on("close", done));
    expect(JSON.parse(out)).toMatchObject({
      cause: "resource",
      error: expect.stringMatching(/^true could not be started: too many files are open/),
    });
  });
});

describe("want of memory", () => {
  it("is counted by the kernel, for the machine and for our control group of either version", () => {
    const root = makeFolder();
    for (const folder of ["self", "cg/mine", "cg/memory/old"]) mkdirSync(join(root, folder), { recursive: true });
    expect(countOomKills(root, join(root, "cg"))).toBeUndefined();
    writeFileSync(join(root, "vmstat"), "nr_free 1\noom_kill 3\n");
    expect(countOomKills(root, join(root, "cg"))).toBe(3);
    writeFileSync(join(root, "self/cgroup"), "4:cpu,memory:/old\n0::/mine\n");
    writeFileSync(join(root, "cg/mine/memory.events"), "oom 9\noom_kill 2\n");
    writeFileSync(join(root, "cg/memory/old/memory.oom_control"), "under_oom 0\noom_kill 1\n");
    expect(countOomKills(root, join(root, "cg"))).toBe(6);
  });
});

describe("working folder", () => {
  it("may be reached by a link that stays inside", async () => {
    const root = makeFolder();
    mkdirSync(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    const report = await executorOn(root).execute(
      shell("pwd; touch made", { cwd: "link", capture: "text" }),
      new AbortController().signal,
      () => undefined,
    );
    expect(report.output).toBe(join(root, "real"));
    expect(existsSync(join(root, "real/made"))).toBe(true);
    expect(readFileSync(join(root, "real/made"), "utf8")).toBe("");
  });
});
