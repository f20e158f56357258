/** A run whose journal was changed: nothing is decided from it, and it keeps no other run waiting. */
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import type { RunId } from "../../src/base/ids.ts";
import { readConfig } from "../../src/runtime/config.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { projectFolder } from "../support/project-folder.ts";

const ASK = `version: 1
name: ask
policy: { allow: [ { action: file.append } ] }
stages:
  - { id: ask, gate: { approval: { question: "Fine?", expires: 1s } } }
  - { id: note, action: file.append, with: { path: count.txt, line: done } }
`;

async function open(root: string): Promise<Runtime> {
  const config = readConfig({ flags: { root }, env: { PATH: process.env["PATH"] } });
  const runtime = await openRuntime({ root, config });
  onTestFinished(() => runtime.close());
  return runtime;
}

async function asking(runtime: Runtime): Promise<{ readonly run: RunId; readonly id: string }> {
  const { plan } = await runtime.compile("ask.yaml", {});
  if (!plan.ok) throw new Error("it must compile");
  const { run, ended } = await runtime.start(plan.value);
  await ended;
  const { approvals } = await runtime.approvals({ run, limit: 1 });
  return { run, id: approvals[0]?.id ?? "" };
}

const CHANGES = {
  "a word of its question": `body = replace(body, 'Fine?', 'Sure?') WHERE seq = 3`,
  "an event that no program wrote": `body = '{"type":"nonsense","at":1}' WHERE seq = 3`,
} as const;

it.each(Object.entries(CHANGES))("%s is changed: it is not taken over, and other questions expire", async (_, sql) => {
  const root = projectFolder({ "ask.yaml": ASK });
  const runtime = await open(root);
  const [damaged, sound] = [await asking(runtime), await asking(runtime)];
  const db = (await loadDriver()).open(join(root, ".pawl/pawl.db"), { timeout: 1000 });
  db.exec(`UPDATE events SET ${sql} AND run = (SELECT id FROM runs WHERE run = '${damaged.run}')`);
  db.close();
  const before = (await runtime.read(damaged.run, 0, 100)).length;
  const refused = { code: "RUN_DAMAGED" };
  await expect(runtime.resume(damaged.run, { by: "ann" })).rejects.toMatchObject(refused);
  await expect(runtime.cancel(damaged.run, "ann")).rejects.toMatchObject(refused);
  while (!(await runtime.hasDueApprovals())) await new Promise((resolve) => setTimeout(resolve, 50));
  const expired: string[] = [];
  const failed: string[] = [];
  while (!expired.includes(sound.id)) {
    const swept = await runtime.sweepApprovals();
    expired.push(...swept.expired);
    failed.push(...swept.failed.map(({ run, code }) => `${run} ${code}`));
  }
  expect([expired, [...new Set(failed)]]).toEqual([[sound.id], [`${damaged.run} RUN_DAMAGED`]]);
  expect((await runtime.read(damaged.run, 0, 100)).length).toBe(before);
});
