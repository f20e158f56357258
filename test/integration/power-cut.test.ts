/** What was acknowledged survives a power cut: shown on a disk that loses power, and by the order of the system calls. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type CutOptions, type CutReport, canCutPower, cutPower, loopDevices } from "../support/power-cut.ts";
import { hasStrace, traceWriter } from "../support/power-cut-trace.ts";
import { PATIENCE_MS } from "../support/slowness.ts";
import { tempDir } from "../support/temp-dir.ts";

const FULL = process.env["PAWL_FULL"] === "1";
const CUTS = FULL ? 12 : 3;
const UNSYNCED_CUTS = FULL ? 12 : 2;
const withDisk = canCutPower();
const withStrace = hasStrace();

async function cuts(count: number, options: CutOptions): Promise<readonly CutReport[]> {
  const reports: CutReport[] = [];
  for (let index = 0; index < count; index += 1) {
    const dir = tempDir();
    reports.push(await cutPower(dir, options));
    expect(await devicesLeft(dir)).toEqual([]);
  }
  const sum = (of: (report: CutReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  const acknowledged = sum((report) => report.acknowledged);
  const lost = sum((report) => report.lost.length);
  const hit = reports.filter((report) => report.lost.length > 0).length;
  const { work, sync } = options;
  process.stderr.write(
    `${work}, sync ${sync}: ${count} cuts, ${lost} of ${acknowledged} acknowledged events lost in ${hit}\n`,
  );
  return reports;
}

/** The kernel frees a device shortly after the process that used it has ended. */
async function devicesLeft(dir: string): Promise<readonly string[]> {
  for (const until = performance.now() + PATIENCE_MS; loopDevices(dir).length > 0 && performance.now() < until; )
    await sleep(50);
  return loopDevices(dir);
}

describe.runIf(withDisk)("a disk that loses power", () => {
  it(`keeps every event that a journal has acknowledged, ${CUTS} times`, async () => {
    for (const report of await cuts(CUTS, { work: "appends", sync: "full", mostBefore: 1500 })) {
      expect(report).toMatchObject({ lost: [], problems: [] });
      expect(report.stored).toBeGreaterThanOrEqual(report.acknowledged);
    }
  });

  it(`keeps runs that can be resumed to their end, with the files they rely on, ${CUTS} times`, async () => {
    for (const report of await cuts(CUTS, { work: "runs", sync: "full", mostBefore: 100 })) {
      expect(report).toMatchObject({ lost: [], problems: [] });
      expect(report.stored).toBeGreaterThanOrEqual(report.acknowledged);
    }
  });

  it(`keeps whole what it keeps when a connection does not sync, and shows what that loses, ${UNSYNCED_CUTS} times`, async () => {
    for (const report of await cuts(UNSYNCED_CUTS, { work: "appends", sync: "normal", mostBefore: 1500 })) {
      expect(report.problems).toEqual([]);
      expect(report.acknowledged).toBeGreaterThan(0);
    }
  });
});

describe.runIf(withStrace)("a journal, watched at its system calls", () => {
  it.each([
    { work: "appends", most: 200, folders: ["project", "project/.pawl"] },
    { work: "runs", most: 50, folders: ["project", "project/.pawl"] },
    { work: "ledger", most: 100, folders: ["project", "project/.pawl"] },
  ] as const)("acknowledges nothing of $work before it and its folders are synced", async ({ work, most, folders }) => {
    const report = await traceWriter(tempDir(), { work, sync: "full", most });
    expect(report.early).toBe(0);
    expect(report.acknowledgements).toBeGreaterThan(most / 8);
    expect(report.syncedFirst).toEqual(expect.arrayContaining([...folders, "project/.pawl/pawl.db-wal"]));
  });

  it("is seen to acknowledge early when its connection does not sync", async () => {
    const report = await traceWriter(tempDir(), { work: "appends", sync: "normal", most: 200 });
    expect(report.early).toBe(report.acknowledgements);
    expect(report.acknowledgements).toBeGreaterThan(200 / 8);
  });
});

const ways = [withDisk ? "a disk that loses power" : "", withStrace ? "system calls" : ""].filter((way) => way !== "");

it.skipIf(ways.length === 0)(
  ways.length === 0
    ? "durability cannot be shown on this machine: it has neither root with loop devices and ext4, nor strace"
    : `durability is shown on this machine by ${ways.join(" and by ")}`,
  () => {
    expect(ways).not.toEqual([]);
  },
);
