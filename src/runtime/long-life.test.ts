/** A runtime that lives for months: what it could not open, or found empty, it looks at again. */
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { blueprintText, ONE_STAGE, projectFolder } from "../../test/support/project-folder.ts";
import { loadDriver } from "../adapters/sqlite/driver.ts";
import type { RunId } from "../base/ids.ts";
import { readConfig } from "./config.ts";
import type { Runtime } from "./runtime.ts";
import { openRuntime } from "./wire.ts";

const GOOD = { "good.yaml": blueprintText("good", ONE_STAGE) };
const UNKNOWN = "r_000000000000" as RunId;

async function open(root: string, readOnly = false): Promise<Runtime> {
  const config = readConfig({ flags: { root }, env: { PATH: process.env["PATH"] } });
  const runtime = await openRuntime({ root, config, readOnly });
  onTestFinished(() => runtime.close().catch(() => {}));
  return runtime;
}

/** By a runtime of its own, as another process would. */
async function finishRun(root: string): Promise<RunId> {
  const runtime = await open(root);
  const { plan } = await runtime.compile("good.yaml", {});
  if (!plan.ok) throw new Error("it must compile");
  const { run, ended } = await runtime.start(plan.value);
  await ended;
  await runtime.close();
  return run;
}

async function runsSeenBy(runtime: Runtime): Promise<readonly RunId[]> {
  return (await runtime.list({ limit: 10 })).rows.map(({ run }) => run);
}

const journal = (root: string): string => join(root, ".pawl/pawl.db");

it("sees the first run of another process, although it was opened before", async () => {
  const root = projectFolder(GOOD);
  const early = await open(root, true);
  expect(await early.read(UNKNOWN, 0, 10)).toEqual([]);
  expect(
    await early.holdAgain(UNKNOWN, { signal: AbortSignal.abort(), onWait: () => {}, onLost: () => {} }),
  ).not.toBeNull();
  const run = await finishRun(root);
  expect(await early.read(run, 0, 1)).toMatchObject([{ event: { type: "run.created" } }]);
  expect(await runsSeenBy(early)).toEqual([run]);
  const followed: string[] = [];
  for await (const { event } of early.follow(run, 0, new AbortController().signal)) followed.push(event.type);
  expect(followed.at(-1)).toBe("run.finished");
  expect(await runsSeenBy(early)).toEqual([run]);
});

it.each([true, false])("works again when a damaged journal was put right (read only: %s)", async (readOnly) => {
  const root = projectFolder(GOOD);
  const run = await finishRun(root);
  const runtime = await open(root, readOnly);
  renameSync(journal(root), `${journal(root)}.good`);
  writeFileSync(journal(root), "no database at all, and long enough to be taken for one".repeat(200));
  const asked = await Promise.allSettled(Array.from({ length: 20 }, () => runtime.list({ limit: 1 })));
  const reasons = asked.map((each) => (each.status === "rejected" ? each.reason : null));
  for (const reason of reasons) expect(reason).toMatchObject({ code: expect.stringMatching(/^JOURNAL_/) });
  await expect(runtime.list({ limit: 1 })).rejects.toMatchObject({ code: expect.stringMatching(/^JOURNAL_/) });
  for (const end of ["-wal", "-shm"]) rmSync(`${journal(root)}${end}`, { force: true });
  renameSync(`${journal(root)}.good`, journal(root));
  expect(await runsSeenBy(runtime)).toEqual([run]);
});

it("works again when damaged loops were put right", async () => {
  const root = projectFolder(GOOD);
  const runtime = await open(root);
  mkdirSync(join(root, ".pawl"));
  const loops = join(root, ".pawl/loops.db");
  writeFileSync(loops, "no database at all".repeat(500));
  await expect(runtime.coordination()).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
  rmSync(loops);
  const coordination = await runtime.coordination();
  expect(await coordination.locks(0)).toBeDefined();
  expect(await runtime.coordination()).toBe(coordination);
});

it("sees what a newer program makes of a journal of an earlier version", async () => {
  const root = projectFolder(GOOD);
  const run = await finishRun(root);
  const db = (await loadDriver()).open(journal(root), { timeout: 1000 });
  db.exec("DROP TABLE waits; DROP TABLE store; PRAGMA user_version=7");
  rmSync(join(root, ".pawl/ids"), { recursive: true });
  const reader = await open(root, true);
  expect(await runsSeenBy(reader)).toEqual([run]);
  const writer = await open(root);
  await writer.list({ limit: 1 });
  db.exec(`INSERT INTO waits(run_id, body, asks) SELECT id,
    '{"questions":[],"rest":{"reason":"awaiting_approval","since":1,"until":null,"target":null,"isReady":false},"children":[]}', 1 FROM runs`);
  db.close();
  expect((await reader.parked()).map((each) => each.run)).toEqual([]);
  expect(await runsSeenBy(reader)).toEqual([run]);
});

it("refuses a journal that took the place of its own, and works again with its own", async () => {
  const [root, other] = [projectFolder(GOOD), projectFolder(GOOD)];
  const [before, after] = [await finishRun(root), await finishRun(other)];
  const reader = await open(root, true);
  expect(await runsSeenBy(reader)).toEqual([before]);
  copyFileSync(journal(root), `${journal(root)}.own`);
  copyFileSync(journal(other), `${journal(root)}.other`);
  for (const end of ["-wal", "-shm"]) rmSync(`${journal(root)}${end}`, { force: true });
  renameSync(`${journal(root)}.other`, journal(root));
  expect(after).not.toBe(before);
  await expect(runsSeenBy(reader)).rejects.toMatchObject({ code: "JOURNAL_LOST" });
  for (const end of ["-wal", "-shm"]) rmSync(`${journal(root)}${end}`, { force: true });
  renameSync(`${journal(root)}.own`, journal(root));
  expect(await runsSeenBy(reader)).toEqual([before]);
});
