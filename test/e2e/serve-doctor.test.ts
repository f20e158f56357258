/** Before and beside `pawl serve`: what doctor says of next times, and what is said of a disk that cannot be written. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { formatInstant } from "../../src/base/text/instant.ts";
import { BIN, createProject, type Project } from "../support/cli.ts";

const QUICK = `version: 1
name: quick
policy: { allow: [ { action: file.append } ] }
stages:
  - { id: note, action: file.append, with: { path: count.txt, line: done } }
`;
const loop = (when: string): string =>
  `loops:\n  quick: { blueprint: quick.yaml, ${when} }\n  hand: { blueprint: quick.yaml }\n`;

interface Checked {
  readonly ready: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly status: string;
    readonly detail: string;
    readonly hint: string | null;
  }[];
  readonly next: readonly { readonly loop: string; readonly at: number; readonly isBusy: boolean }[];
}

let project: Project;
beforeEach(() => {
  project = createProject({ "quick.yaml": QUICK, "pawl.yaml": loop("every: 12h") });
});
afterEach(() => project.remove());

async function examined(): Promise<{ readonly quick: readonly unknown[]; readonly next: Checked["next"] }> {
  const { value } = await project.json("doctor");
  const { checks, next } = value as Checked;
  const line = checks.find(({ name }) => name === "loop quick");
  return { quick: [line?.status, line?.detail, line?.hint === null], next };
}

async function stored<T>(sql: string): Promise<T | undefined> {
  const db = (await loadDriver()).open(join(project.root, ".pawl", "loops.db"), { timeout: 5000 });
  try {
    return db.prepare<T & object>(sql).get();
  } finally {
    db.close();
  }
}

describe("pawl doctor", () => {
  test("M9: says when each loop is due next, which nobody has run in time, and which nobody has seen", async () => {
    const unseen = "no next time yet: `pawl serve` has not seen it";
    expect(await examined()).toEqual({ quick: ["ok", `L1, every 12h, quick.yaml; ${unseen}`, true], next: [] });
    expect((await project.pawl("serve", "--once")).code).toBe(0);
    const { next: at = 0 } = (await stored<{ next: number }>("SELECT next FROM schedules WHERE loop = 'quick'")) ?? {};
    const due = `next at ${formatInstant(at)}`;
    expect(await examined()).toEqual({
      quick: ["ok", `L1, every 12h, quick.yaml; ${due}`, true],
      next: [{ loop: "quick", at, isBusy: false }],
    });
    expect((await project.pawl("doctor")).stdout).toMatch(
      new RegExp(`ok +loop quick +L1, every 12h, quick.yaml; ${due}`),
    );

    await stored("UPDATE schedules SET open = 'slot' WHERE loop = 'quick'");
    await stored(`INSERT INTO slots(loop, slot, at, state) VALUES('quick', 'slot', ${at}, 'submitted')`);
    expect((await examined()).quick).toEqual([
      "ok",
      `L1, every 12h, quick.yaml; ${due}, when its open run is over`,
      true,
    ]);

    const late = Date.now() - 3_600_000;
    await stored(`UPDATE schedules SET open = NULL, next = ${late} WHERE loop = 'quick'`);
    expect((await examined()).quick).toEqual([
      "warn",
      `L1, every 12h, quick.yaml; was due at ${formatInstant(late)}, and nobody has run it`,
      false,
    ]);

    project.write("pawl.yaml", loop("every: 6h"));
    expect(await examined()).toEqual({ quick: ["ok", `L1, every 6h, quick.yaml; ${unseen}`, true], next: [] });
  });

  test("says of schedules that cannot be read that they cannot, and looks at the rest", async () => {
    expect((await project.pawl("serve", "--once")).code).toBe(0);
    for (const end of ["", "-wal", "-shm"]) rmSync(join(project.root, ".pawl", `loops.db${end}`), { force: true });
    project.write(".pawl/loops.db", "no database");
    const { code, value } = await project.json("doctor");
    const { checks, next } = value as Checked;
    expect([code, next]).toEqual([1, []]);
    expect(checks.filter(({ status }) => status === "fail").map(({ name }) => name)).toContain("loops");
    expect(checks.find(({ name }) => name === "loop quick")?.status).toBe("ok");
  });
});

describe("pawl serve where nothing can be written", () => {
  const served = (readOnly: string): { readonly status: number | null; readonly stderr: string } => {
    const wall = ["--dev-bind", "/", "/", "--ro-bind", readOnly, readOnly, "--chdir", project.root];
    const [program, ...args] = ["bwrap", ...wall, process.execPath, BIN, "serve", "--once"] as const;
    return spawnSync(program, args, { encoding: "utf8" });
  };

  test("says so, of a project as of its state", async () => {
    const fresh = served(project.root);
    expect(fresh.stderr).toContain(`JOURNAL_READ_ONLY\n  ${join(project.root, ".pawl")} cannot be written.`);
    expect(fresh.status).toBe(1);
    expect((await project.pawl("serve", "--once")).code).toBe(0);
    const state = served(join(project.root, ".pawl"));
    expect(state.stderr).toContain("JOURNAL_READ_ONLY\n");
    expect(state.status).toBe(1);
  });
});
