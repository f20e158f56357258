/** What can be seen of a process while it runs, and after its host was killed. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { createMemoryHeartbeats } from "../../src/adapters/memory/heartbeats.ts";
import { liveLogPath, readLiveLog } from "../../src/adapters/process/output/live-log.ts";
import { createLiveLog } from "../../src/adapters/process/output/live-writer.ts";
import { createRedactor } from "../../src/base/redact.ts";
import type { ProcessReport } from "../../src/ports/executor.ts";
import type { Heartbeat, Heartbeats } from "../../src/ports/heartbeats.ts";
import {
  executorIn,
  isGone,
  makeFolder,
  processesWith,
  RUN,
  removeFolders,
  shell,
} from "../support/process-fixture.ts";
import { PATIENCE_MS } from "../support/slowness.ts";

afterEach(removeFolders);

const { text: redact } = createRedactor({ secrets: ["open-sesame-42"] });
const cap = { headBytes: 1000, tailBytes: 1000 };
const textOf = async (path: string): Promise<string> => {
  const parts = await readLiveLog(path);
  return parts === null ? "" : `${parts.head}${parts.gap > 0 ? `…${parts.gap}…` : ""}${parts.tail}`;
};
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

describe("a live log", () => {
  it("has what the process has printed so far, without secrets, for the owner only", async () => {
    const root = makeFolder();
    const control = new AbortController();
    const path = liveLogPath(join(root, "logs"), RUN, "build", 1);
    const request = shell("echo one; echo open-sesame-42; printf 'not yet'; sleep 30");
    const executor = executorIn(root, { redact });
    const done = executor.execute(request, control.signal, () => undefined);
    await expect.poll(() => textOf(path)).toBe("one\n[redacted:secret]\n");
    expect([path, dirname(path)].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700]);
    control.abort();
    expect((await done).log.bytes).toBeGreaterThan(20);
    // Until its end is recorded it stays, whole.
    expect(await textOf(path)).toBe("one\n[redacted:secret]\nnot yet");
    await executor.forget(request);
    expect(existsSync(dirname(path))).toBe(false);
  });

  it("is not made for a process that ends at once", async () => {
    const root = makeFolder();
    await executorIn(root).execute(shell("echo x"), new AbortController().signal, () => undefined);
    expect(existsSync(join(root, "logs"))).toBe(false);
  });

  it("keeps its beginning and its end, and says how much is missing", async () => {
    const path = liveLogPath(makeFolder(), RUN, "build", 1);
    const log = createLiveLog(path, cap, redact);
    let all = "";
    for (let line = 0; line < 1000; line += 1) {
      all += `${line}\n`;
      log.write(Buffer.from(`${line}\n`));
      if (line % 100 === 99) await pause(110);
    }
    await log.leave();
    const parts = await readLiveLog(path);
    const size = readdirSync(dirname(path)).reduce((sum, name) => sum + statSync(join(dirname(path), name)).size, 0);
    expect(size).toBeLessThanOrEqual(2000);
    expect(parts?.head.toString()).toBe(all.slice(0, 1000));
    expect(all.endsWith(parts?.tail.toString() ?? "?")).toBe(true);
    expect(parts?.tail.length).toBeGreaterThan(0);
    expect((parts?.head.length ?? 0) + (parts?.gap ?? 0) + (parts?.tail.length ?? 0)).toBe(all.length);
  });

  it("shows no part of a secret where bytes are left out", async () => {
    const path = liveLogPath(makeFolder(), RUN, "build", 1);
    const log = createLiveLog(path, cap, redact);
    for (let i = 0; i < 400; i += 1) log.write(Buffer.from("open-sesame-42 ".repeat(5)));
    await log.leave();
    const text = await textOf(path);
    expect(text.replaceAll("[redacted:secret]", "")).not.toMatch(/open|sesame|42 /);
  });

  it("follows no link and takes the place of what an attempt of the same name left", async () => {
    const root = makeFolder();
    const path = liveLogPath(root, RUN, "build", 1);
    mkdirSync(dirname(path));
    writeFileSync(join(root, "victim"), "precious");
    symlinkSync(join(root, "victim"), path);
    writeFileSync(`${path}.700`, "old");
    const log = createLiveLog(path, cap, redact);
    log.write(Buffer.from("new\n"));
    await log.leave();
    expect(await textOf(path)).toBe("new\n");
    expect(readFileSync(join(root, "victim"), "utf8")).toBe("precious");
    symlinkSync(join(root, "victim"), liveLogPath(root, RUN, "build", 2));
    expect(await readLiveLog(liveLogPath(root, RUN, "build", 2))).toBeNull();
  });

  it("that cannot be written does no harm", async () => {
    const root = makeFolder();
    writeFileSync(join(root, "logs"), "a file");
    const report = await executorIn(root).execute(
      shell("echo a; sleep 0.3; echo b"),
      new AbortController().signal,
      () => undefined,
    );
    expect(report).toMatchObject({ cause: "ok", log: { bytes: 4 } });
  });

  it("stays when the log could not be stored", async () => {
    const root = makeFolder();
    const path = liveLogPath(join(root, "logs"), RUN, "build", 1);
    const full = new Error("the disk is full");
    const artifacts = {
      put: () => Promise.reject(full),
      putFile: () => Promise.reject(full),
      get: () => Promise.reject(full),
      check: () => Promise.reject(full),
      copyTo: () => Promise.reject(full),
    };
    const work = executorIn(root, { artifacts }).execute(
      shell("echo kept"),
      new AbortController().signal,
      () => undefined,
    );
    await expect(work).rejects.toBe(full);
    expect(await textOf(path)).toBe("kept\n");
  });
});

describe.each(["danger_full_access", "workspace_write"] as const)("a host in %s that is killed", (mode) => {
  it("loses none of the output but the last moment, and what it started is gone or can be reaped", async () => {
    const root = makeFolder();
    const fixture = pathToFileURL(resolve("test/support/process-fixture.ts")).href;
    const marker = `316.${process.pid}${mode.length}`;
    const code = `
      import { executorIn, shell, wallOf } from ${JSON.stringify(fixture)};
      const script = "echo precious; (setsid sleep ${marker} &) ; trap '' TERM HUP; sleep ${marker}";
      const request = { ...shell(script, { wall: wallOf(${JSON.stringify(mode)}) }), key: "k-${marker}" };
      await executorIn(${JSON.stringify(root)}).execute(request, new AbortController().signal, () => undefined);`;
    const host = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], { stdio: "inherit" });
    const path = liveLogPath(join(root, "logs"), RUN, "build", 1);
    await expect.poll(() => textOf(path), { timeout: PATIENCE_MS }).toBe("precious\n");
    host.kill("SIGKILL");
    await new Promise((done) => host.once("exit", done));
    if (mode === "workspace_write") await expect.poll(() => processesWith(marker)).toEqual([]);
    await executorIn(root).reap(`k-${marker}`);
    expect(processesWith(marker)).toEqual([]);
    expect(await textOf(path)).toBe("precious\n");
  });
});

describe("heartbeats", () => {
  const recorded = (): Heartbeats & { readonly all: Heartbeat[] } => {
    const all: Heartbeat[] = [];
    return { ...createMemoryHeartbeats(), all, beat: (fact) => all.push(fact) };
  };

  it("come before, during and after a process, with its id, its speed and its last line", async () => {
    const root = makeFolder();
    const heartbeats = recorded();
    const script =
      "echo open-sesame-42; printf '\\033[1mworking\\n'; i=0; while [ $i -lt 11 ]; do sleep 0.1; i=$((i+1)); done";
    const request = shell(script, { attempt: 2 });
    const executor = executorIn(root, { heartbeats, redact });
    let alive: boolean | undefined;
    const done = executor.execute(request, new AbortController().signal, () => {
      const pid = heartbeats.all.at(-1)?.pid ?? 0;
      alive ??= pid > 0 && !isGone(pid);
    });
    const report = await done;
    const { all } = heartbeats;
    expect(all.map((beat) => beat.state)).toEqual(["starting", "running", "running", "ended"]);
    expect(alive).toBe(true);
    expect(all[0]).toMatchObject({
      ...{ run: RUN, stage: "build", attempt: 2, pid: null, etaMs: null, lastLine: "", outputBytes: 0 },
      logPath: liveLogPath(join(root, "logs"), RUN, "build", 2),
    });
    expect(all[0]?.command.startsWith("/bin/sh -c echo [redacted:secret]; printf '\\033")).toBe(true);
    expect(all[2]).toMatchObject({ lastLine: "\\x1b[1mworking", outputBytes: 27 });
    expect(all[2]?.bytesPerSecond).toBeGreaterThan(5);
    expect(all[2]?.memoryBytes).toBeGreaterThan(100_000);
    expect(all[3]).toMatchObject({ cause: report.cause, pid: null, outputBytes: 27, memoryBytes: 0 });
    expect(all[3]?.elapsedMs).toBeGreaterThan(1000);
    await executor.execute(request, new AbortController().signal, () => undefined);
    expect(all[5]?.etaMs).toBeGreaterThan(1000);
    expect(all.at(-1)?.etaMs).toBeNull();
  });

  it("end also for what could not be started", async () => {
    const heartbeats = recorded();
    const report: ProcessReport = await executorIn(makeFolder(), { heartbeats }).execute(
      { ...shell(""), argv: ["no-such-program"] },
      new AbortController().signal,
      () => undefined,
    );
    expect(report.cause).toBe("spawn_error");
    expect(heartbeats.all.map(({ state, cause, pid }) => [state, cause, pid])).toEqual([
      ["starting", undefined, null],
      ["ended", "spawn_error", null],
    ]);
  });
});
