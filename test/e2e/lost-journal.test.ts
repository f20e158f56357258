import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteLoops } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { buildJob } from "../contract/jobs.contract.ts";
import { createProject, type Project } from "../support/cli.ts";

const HANG = `version: 1
name: hang
workspace: directory
policy: { allow: [{ shell: "**" }] }
stages:
  - { id: hang, effect: idempotent, command: "echo started; sleep 5" }
`;

let project: Project;
beforeEach(() => {
  project = createProject({ "hang.yaml": HANG });
});
afterEach(() => project.remove());

describe("a journal that lost its newest events", () => {
  it("is refused, and taken as it is only when a person says so", async () => {
    const run = project.start("run", "hang.yaml", "--jsonl");
    await run.until("stage.started");
    run.child.kill("SIGKILL");
    await run.ended;
    rmSync(join(project.root, ".pawl/pawl.db-wal"));
    const refused = await project.json("status");
    expect(refused).toMatchObject({ code: 1, value: { error: { problems: [{ code: "JOURNAL_WAL_MISSING" }] } } });
    expect((await project.pawl("run", "hang.yaml")).code).toBe(1);
    const accepted = await project.pawl("doctor", "--accept-loss");
    expect(accepted.code, accepted.stdout + accepted.stderr).toBe(0);
    expect((await project.json("status")).code).toBe(0);
  });
});

describe("queues and schedules that lost what was stored last", () => {
  it("are refused like a journal, and taken as they are only when a person says so", async () => {
    const [clock, elsewhere] = [createSystemClock(), createProject()];
    const [from, to] = [join(elsewhere.root, ".pawl"), join(project.root, ".pawl")];
    const loops = await openSqliteLoops({ dir: from, clock });
    await loops.jobs.submit(buildJob("a1"), clock.now());
    mkdirSync(to);
    for (const file of ["loops.db", "loops.db-shm"]) cpSync(join(from, file), join(to, file));
    await loops.close();
    elsewhere.remove();
    const refused = await project.json("queue");
    expect(refused).toMatchObject({ code: 1, value: { error: { problems: [{ code: "JOURNAL_WAL_MISSING" }] } } });
    expect(await project.pawl("doctor")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/fail +loops +.*loops\.db-wal is gone[\s\S]*`pawl doctor --accept-loss`/),
    });
    const accepted = await project.pawl("doctor", "--accept-loss");
    expect(accepted.code, accepted.stdout + accepted.stderr).toBe(0);
    expect((await project.json("queue")).code).toBe(0);
    expect((await project.pawl("doctor")).stdout).toMatch(/ok +loops/);
  });
});
