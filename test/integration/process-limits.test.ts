/** Processes that take all they can get: each is stopped with the right cause, and the host stays well. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { classify } from "../../src/adapters/process/classify.ts";
import { createAccount } from "../../src/adapters/process/watch/account.ts";
import { createGroups, mostTasks } from "../../src/adapters/process/watch/group.ts";
import { createHistory } from "../../src/adapters/process/watch/history.ts";
import { sha256 } from "../../src/base/digest.ts";
import type { Resources } from "../../src/plan/plan.ts";
import type { ProcessReport } from "../../src/ports/executor.ts";
import { listenForDeafness } from "../support/deafness.ts";
import {
  executorIn,
  makeFolder,
  processesWith,
  removeFolders,
  requestOf,
  shell,
  wallOf,
} from "../support/process-fixture.ts";
import { bubblewrap } from "../support/sandbox-fixture.ts";
import { slowness } from "../support/slowness.ts";

afterEach(removeFolders);

const MODES = ["danger_full_access", "workspace_write"] as const;
const FULL = process.env["PAWL_FULL"] === "1";
const TOP = "/sys/fs/cgroup/pids";
const canMakeGroups = process.getuid?.() === 0 && /^\d+:pids:\/$/m.test(readFileSync("/proc/self/cgroup", "latin1"));
/** No process has so large an id. */
const DEAD = 4_194_304;
/** Of this host and of those that the tests make up; other suites have their own. */
const groupsLeft = (): readonly string[] =>
  existsSync(TOP) ? readdirSync(TOP).filter((name) => [process.pid, process.ppid, DEAD].includes(hostOf(name))) : [];
const hostOf = (name: string): number => Number(/^pawl-(\d+)-/.exec(name)?.[1]);

interface Observed {
  readonly report: ProcessReport;
  readonly ms: number;
  /** The longest time in which the host answered nobody. */
  readonly deafMs: number;
  readonly grownBytes: number;
}

async function run(
  mode: (typeof MODES)[number],
  argv: readonly string[],
  limits: Partial<Resources>,
): Promise<Observed> {
  const deafness = await listenForDeafness();
  const before = process.memoryUsage.rss();
  const from = performance.now();
  const executor = executorIn(makeFolder());
  const request = requestOf(argv, { wall: wallOf(mode, limits), timeoutMs: 600_000 });
  const report = await executor.execute(request, new AbortController().signal, () => undefined);
  const ms = performance.now() - from;
  const deafMs = await deafness.stop();
  return { report, ms, deafMs, grownBytes: process.memoryUsage.rss() - before };
}

const expectWell = ({ deafMs, grownBytes }: Observed): void => {
  expect(deafMs).toBeLessThan(250 * slowness());
  expect(grownBytes).toBeLessThan(64 << 20);
};

describe.each(MODES)("in %s", (mode) => {
  it("a fork bomb is stopped, and another stage beside it ends well", async () => {
    const bomb = ["/bin/sh", "-c", "b() { b | b & b; }; b", "bomb-314"];
    const [bombed, beside] = await Promise.all([
      run(mode, bomb, { processes: 64 }),
      run(mode, ["/bin/sh", "-c", "sleep 0.2; echo fine"], {}),
    ]);
    expect(bombed.report).toMatchObject({
      cause: "resource",
      error: "sh was ended: it used more than 64 processes at the same time",
    });
    expect(beside.report.cause).toBe("ok");
    expect(processesWith("bomb-314")).toEqual([]);
    expect(groupsLeft()).toEqual([]);
  });

  it("one that takes gigabytes of memory is ended for that", async () => {
    const script = "const a = []; for (;;) a.push(Buffer.alloc(16 << 20, 1)); // 8 GB and more";
    const observed = await run(mode, [process.execPath, "-e", script], { memoryBytes: 256 << 20 });
    expect(observed.report).toMatchObject({ cause: "oom", error: expect.stringContaining("256 MiB of memory") });
    expect(observed.report.used?.peakBytes).toBeGreaterThan(256 << 20);
    expect(observed.report.used?.peakBytes).toBeLessThan(4 * 2 ** 30);
    expect(observed.ms).toBeLessThan(5000 * slowness());
    expectWell(observed);
  });

  it("memory that processes share counts once", async () => {
    const script =
      '$x = "a" x 60e6; for (1 .. 4) { fork or do { select undef, undef, undef, 0.4; exit } } 1 while wait > 0';
    const { report } = await run(mode, ["/usr/bin/perl", "-e", script], { memoryBytes: 160 << 20 });
    expect(report).toMatchObject({ cause: "ok" });
    expect(report.used?.peakBytes).toBeGreaterThan(160 << 20);
  });

  it("several that only burn processor time are ended for what they burn together", async () => {
    const observed = await run(
      mode,
      ["/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; wait"],
      {
        cpuMs: 600,
      },
    );
    expect(observed.report).toMatchObject({
      cause: "resource",
      error: expect.stringMatching(/^sh was ended: it used more than 600ms of processor time, .* so far$/),
    });
    expect(observed.report.used?.cpuMs).toBeGreaterThan(600);
    // Eight that are each given 600 ms burn eight times that.
    expect(observed.report.used?.cpuMs).toBeLessThan(8 * 600);
    expectWell(observed);
  });

  it("a flood beyond its limit is cut off at once", async () => {
    const limit = FULL ? 64 << 20 : 8 << 20;
    const observed = await run(mode, ["/bin/sh", "-c", "yes | cat"], { outputBytes: limit });
    expect(observed.report).toMatchObject({ cause: "resource", error: expect.stringContaining("of output") });
    expect(observed.ms).toBeLessThan(1500 * slowness());
    expectWell(observed);
  });

  it("one that ends before its flood was read has passed its limit all the same", async () => {
    const observed = await run(mode, ["/bin/sh", "-c", "head -c 60000 /dev/zero"], { outputBytes: 50_000 });
    expect(observed.report).toMatchObject({ cause: "resource" });
  });

  it("what it has used is told also when it ended by itself", async () => {
    const script = "while (process.cpuUsage().user < 300_000); Buffer.alloc(64 << 20, 1)";
    const { report } = await run(mode, [process.execPath, "-e", script], {});
    expect(report.cause).toBe("ok");
    expect(report.used?.cpuMs).toBeGreaterThan(100);
    expect(report.used?.peakBytes).toBeGreaterThan(20 << 20);
  });

  it("a program that cannot be found is told as without limits", async () => {
    const { report } = await run(mode, ["no-such-program"], { processes: 10, fileBytes: 10_000 });
    expect(report).toMatchObject({
      cause: "spawn_error",
      error: expect.stringContaining("could not be started: no such program on PATH"),
    });
    expect(groupsLeft()).toEqual([]);
  });
});

describe.runIf(canMakeGroups)("a control group", () => {
  const nameOf = (key: string, host = DEAD): string => `pawl-${host}-1-${sha256(key).slice(0, 24)}-1`;

  it("holds the program and what it starts, not us, and is gone afterwards", async () => {
    const limits = { processes: 10 };
    const request = shell("grep -h pids /proc/self/cgroup; cat /proc/self/cgroup", {
      wall: wallOf("danger_full_access", limits),
      capture: "text",
    });
    const report = await executorIn(makeFolder()).execute(request, new AbortController().signal, () => undefined);
    expect(report.output).toMatch(new RegExp(`pids:/pawl-${process.pid}-\\d+-${sha256(request.key).slice(0, 24)}-1`));
    expect(readFileSync("/proc/self/cgroup", "latin1")).not.toContain("pawl-");
    expect(groupsLeft()).toEqual([]);
  });

  it("that a dead host left is removed with its first use, or with its members when its key is reaped", async () => {
    mkdirSync(join(TOP, nameOf("left empty")));
    const request = shell("sleep 315.1", { wall: wallOf("danger_full_access") });
    const executor = executorIn(makeFolder());
    const done = executor.execute(request, new AbortController().signal, () => undefined);
    await expect.poll(() => processesWith("315.1").length).toBeGreaterThan(0);
    // Any host on this machine removes an empty group of a dead one, so this one gets its name when it has members.
    const filling = join(TOP, `pawl-filling-${process.pid}`);
    mkdirSync(filling);
    for (const pid of processesWith("315.1")) writeFileSync(join(filling, "cgroup.procs"), String(pid));
    renameSync(filling, join(TOP, nameOf("left full")));
    const group = createGroups().make("mine", { processes: 5, memoryBytes: null });
    expect(
      readFileSync(
        join(TOP, groupsLeft().find((name) => name.includes(`pawl-${process.pid}-`)) ?? "", "pids.max"),
        "utf8",
      ),
    ).toBe(`${mostTasks(5)}\n`);
    await group?.remove();
    expect(groupsLeft()).toEqual([nameOf("left full")]);
    await executor.reap("left full");
    expect(groupsLeft()).toEqual([]);
    expect(processesWith("315.1")).toEqual([]);
    await done;
  });

  it("of a host that lives is left alone", async () => {
    const alive = nameOf("alive", process.ppid).replace("-1-", `-${startOf(process.ppid)}-`);
    mkdirSync(join(TOP, alive));
    try {
      await executorIn(makeFolder()).reap("alive");
      expect(groupsLeft()).toEqual([alive]);
    } finally {
      rmdirSync(join(TOP, alive));
    }
  });

  function startOf(pid: number): string {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  }
});

describe("a control group of the second version", () => {
  const tree = (controllers: string): { readonly proc: string; readonly cgroups: string; readonly group: string } => {
    const root = makeFolder();
    mkdirSync(join(root, "proc/self"), { recursive: true });
    mkdirSync(join(root, "cg"));
    writeFileSync(join(root, "proc/self/cgroup"), "0::/\n");
    for (const file of ["cgroup.controllers", "cgroup.subtree_control"])
      writeFileSync(join(root, "cg", file), `${controllers}\n`);
    const group = join(root, "cg", `pawl-${DEAD}-1-${sha256("k").slice(0, 24)}-1`);
    mkdirSync(group);
    const files = { "memory.events": "oom 2\noom_kill 1\n", "pids.events": "max 3\n", "memory.peak": "4096\n" };
    for (const [name, text] of Object.entries({ ...files, "cpu.stat": "usage_usec 2500000\n", "pids.max": "max\n" }))
      writeFileSync(join(group, name), text);
    writeFileSync(join(group, "cgroup.procs"), "12\n13\n");
    return { proc: join(root, "proc"), cgroups: join(root, "cg"), group };
  };

  it("tells whom the kernel killed or refused, and what was used", () => {
    const { proc, cgroups, group } = tree("cpu memory pids");
    const [left] = createGroups(proc, cgroups).leftBy("k");
    expect(left?.facts()).toEqual({ oomKills: 1, refusedStarts: 3, cpuMs: 2500, peakBytes: 4096 });
    expect(left?.members()).toEqual([12, 13]);
    left?.close();
    expect(readFileSync(join(group, "pids.max"), "latin1").startsWith("0")).toBe(true);
  });

  it("is not used where the kernel does not offer it", () => {
    const { proc, cgroups } = tree("cpu io");
    expect(createGroups(proc, cgroups).leftBy("k")).toEqual([]);
    expect(createGroups(proc, cgroups).make("k", { processes: 1, memoryBytes: 1 })).toBeNull();
  });
});

describe("a wall that is slow to stand", () => {
  it("takes nothing of what its program may have", async () => {
    const root = makeFolder();
    const program = join(root, "bwrap");
    writeFileSync(program, '#!/bin/bash\n[ "$1" = --version ] || sleep 0.3\nexec /usr/bin/bwrap "$@"\n', {
      mode: 0o755,
    });
    const executor = executorIn(root, { sandbox: bubblewrap({ program }) });
    const request = shell("echo over", { wall: wallOf("workspace_write", { processes: 1 }) });
    const report = await executor.execute(request, new AbortController().signal, () => undefined);
    expect(report).toMatchObject({ cause: "ok", used: { outputBytes: 5 } });
  });
});

describe("want of memory", () => {
  const killed = { code: null, signal: "SIGKILL", ending: null, fileBytes: null } as const;

  it("M4: is the cause only with evidence, and only when we did not kill", () => {
    const cause = (change: object): string => classify({ ...killed, oomKilled: "someone", ...change }).cause;
    expect(cause({})).toBe("oom");
    expect(cause({ code: 137, signal: null })).toBe("oom");
    expect(cause({ oomKilled: "none" })).toBe("signal");
    expect(cause({ ending: { cause: "timeout", what: "", isSudden: false } })).toBe("timeout");
    expect(cause({ code: 1, signal: null })).toBe("exit");
    expect(cause({ code: 1, signal: null, oomKilled: "own" })).toBe("oom");
    expect(cause({ code: 0, signal: null, oomKilled: "own" })).toBe("ok");
  });
});

describe("an account", () => {
  const sample = { processes: 1, runs: false, cpuMs: 5000, memoryBytes: 7, transferBytes: 0 };

  it("knows nothing of a process that was never looked at, but what the kernel says", () => {
    expect(createAccount().settle(9, null)).toEqual({ cpuMs: 0, peakBytes: 0, outputBytes: 9 });
    const facts = { cpuMs: 6000, oomKills: 1, peakBytes: 11, refusedStarts: 0 };
    expect(createAccount().settle(9, facts)).toEqual({ cpuMs: 6000, peakBytes: 11, outputBytes: 9 });
  });

  it("takes what was collected since, but no more than the processors could give and no less than was seen", () => {
    const settle = (collectedMs: number): number => {
      const readings = [100, 100 + collectedMs];
      const account = createAccount(() => readings.shift() ?? 0);
      account.add(sample);
      account.add({ ...sample, memoryBytes: 3 });
      const used = account.settle(0, null);
      expect(used.peakBytes).toBe(7);
      return used.cpuMs;
    };
    expect(settle(0)).toBe(5000);
    expect(settle(5005)).toBe(5005);
    expect(settle(9000)).toBeLessThan(5500);
  });
});

describe("history", () => {
  it("expects the mean of what was, and forgets what is old", () => {
    const history = createHistory();
    expect(history.expectedMs(["a"])).toBeNull();
    history.add(["a"], 100);
    history.add(["a"], 300);
    expect(history.expectedMs(["a"])).toBe(200);
    for (let i = 0; i < 256; i += 1) history.add(["b", String(i)], 1);
    expect(history.expectedMs(["a"])).toBeNull();
  });
});
