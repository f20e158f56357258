import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planFrom } from "../../../../test/support/plan-from-yaml.ts";
import { pathsBelow, projectFolder } from "../../../../test/support/project-folder.ts";
import type { RunId } from "../../../base/ids.ts";
import type { RunEvent, StoredEvent } from "../../../run/events.ts";
import { beginOpenexec } from "./projector.ts";
import { timelineLine } from "./timeline.ts";

const RUN = "r_0123456789ab" as RunId;
const stored = (event: object, seq = 1): StoredEvent =>
  ({ seq, event: { at: 0, ...event } as RunEvent }) as StoredEvent;
const lineOf = (event: object) => {
  const { seq: _seq, timestamp: _time, ...told } = timelineLine(stored(event)) ?? {};
  return told;
};
const done = (stage: string, outcome: string, more: object = {}): object => ({
  ...{ type: "stage.finished", stage, attempt: 1, outcome, cause: "ok" },
  ...more,
});

describe("J8: the timeline of OpenExec", () => {
  test.each([
    [{ type: "run.created", blueprint: "b", plan: "p" }, "preflight_passed", { run_status: "pending" }],
    [{ type: "run.started" }, "blueprint_start", { run_status: "running" }],
    [{ type: "run.resumed", after: "pause" }, "progress", { run_status: "running" }],
    [{ type: "run.waiting", reason: "approval" }, "paused", { run_status: "paused" }],
    [{ type: "run.paused", by: "me" }, "paused", { message: "by me" }],
    [
      { type: "run.finished", status: "succeeded", reason: "goal_achieved" },
      "blueprint_complete",
      { run_status: "completed" },
    ],
    [
      { type: "run.finished", status: "cancelled", reason: "cancelled", detail: "d" },
      "blueprint_failed",
      { run_status: "cancelled", message: "d" },
    ],
    [{ type: "round.started", round: 2, stage: "lint" }, "route_decision", { iteration: 2 }],
    [{ type: "stage.started", stage: "a", attempt: 1, rule: "r" }, "stage_start", { stage_status: "running" }],
    [{ type: "stage.started", stage: "a", attempt: 2, rule: "r" }, "stage_retry", { attempt: 2 }],
    [
      done("a", "success", { artifacts: { diff: { sha256: "x" } } }),
      "stage_complete",
      { artifacts: [{ name: "diff", artifact_id: "x" }] },
    ],
    [done("a", "fail", { error: "e" }), "stage_failed", { stage_status: "failed", error: "e" }],
    [done("a-checkpoint", "success"), "checkpoint_created", { stage_status: "completed" }],
    [done("a-checkpoint", "failure"), "stage_failed", {}],
    [{ type: "stage.interrupted", stage: "a", attempt: 1 }, "stage_failed", { error: "interrupted" }],
    [{ type: "stage.refused", stage: "a", error: "e" }, "stage_failed", { error: "e" }],
    [
      { type: "policy.denied", stage: "a", rule: "r", why: "w" },
      "error",
      { decision: "deny", stage_status: "skipped" },
    ],
    [{ type: "approval.requested", stage: "a", id: "q", why: "w" }, "operator_attention", { approval: "q" }],
    [{ type: "approval.answered", stage: "a", id: "q", answer: "approve", by: "me" }, "signal_received", { by: "me" }],
  ])("says %j as %s", (event, type, more) => {
    expect(lineOf(event)).toMatchObject({ type, ...more });
  });

  test("says nothing of what it has no word for", () => {
    expect(timelineLine(stored({ type: "run.pausing", by: "me" }))).toBeNull();
  });
});

const PLAN = planFrom("stages: [{ id: look, command: [git, ls-files] }, { id: b, command: [ok] }]");
const projected = (root: string) => ({
  ...{ root, run: RUN, plan: PLAN, origin: { door: "openexec", path: "standard_task" } as const },
  texts: { read: async () => null, change: () => Promise.reject(new Error("nothing is shared here")) },
  bytes: ({ sha256 }: { readonly sha256: string }) => Promise.resolve(Buffer.from(sha256)),
});

test("J8: the folder of a run has its timeline, its policy, what it was told and its artifacts; telling it twice changes nothing", async () => {
  const root = projectFolder();
  const tell = async (): Promise<void> => {
    const { apply, end } = await beginOpenexec(projected(root));
    await apply(stored({ type: "run.started" }, 1));
    await apply(stored(done("look", "success", { log: { sha256: "a\nb\n", bytes: 4, dropped: 0 } }), 2));
    await apply(stored(done("b", "success", { artifacts: { "x/y": { sha256: "z", bytes: 1 } } }), 3));
    await end();
  };
  await tell();
  const folder = join(root, ".openexec/runs/run_0123456789ab");
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const before = read("timeline.jsonl");
  await tell();
  expect(read("timeline.jsonl")).toBe(before);
  expect(
    before
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { seq: number }).seq),
  ).toEqual([1, 2, 3]);
  expect(JSON.parse(read("policy_snapshot.json"))).toMatchObject({ policy: PLAN.policy, default_decision: "deny" });
  expect(JSON.parse(read("context_pack.json"))).toMatchObject({ files: ["a", "b"] });
  expect(read("artifacts/b-1-x_y")).toBe("z");
});

test("J8: the timeline is what the journal tells, whatever became of its file, and whoever else writes it", async () => {
  const root = projectFolder();
  const file = join(root, ".openexec/runs/run_0123456789ab/timeline.jsonl");
  const artifacts = { a: { sha256: "z", bytes: 1 }, gone: { sha256: "", bytes: 1 } };
  const events = [
    stored({ type: "run.started" }, 1),
    stored(done("b", "success", { artifacts }), 3),
    stored({ type: "run.finished", status: "succeeded", reason: "goal_achieved" }, 4),
  ];
  const bytes = ({ sha256 }: { readonly sha256: string }) =>
    sha256 === "" ? Promise.reject(new Error("gone")) : Promise.resolve(Buffer.from(sha256));
  const tell = async (): Promise<string> => {
    const { apply, end } = await beginOpenexec({ ...projected(root), bytes });
    for (const event of events) await apply(event).catch(() => undefined);
    await end();
    return readFileSync(file, "utf8");
  };
  const whole = await tell();
  const lines = whole.split("\n");
  expect(lines.map((line) => (line === "" ? null : (JSON.parse(line) as { seq: number }).seq))).toEqual([
    1,
    3,
    4,
    null,
  ]);
  const second = `${lines[0]}\n${lines[1]}`;
  const torn = [second.slice(0, -20), second.slice(0, second.lastIndexOf("}]}") + 1), second, whole.slice(0, -1), ""];
  const other = [`${lines[0]}\n${whole}`, `${whole}{"seq":9}\n`, whole.replace("completed", "failed"), "\0".repeat(99)];
  for (const text of [...torn, ...other]) {
    writeFileSync(file, text);
    expect(await tell()).toBe(whole);
  }
  rmSync(file);
  const [one, two] = [
    await beginOpenexec({ ...projected(root), bytes }),
    await beginOpenexec({ ...projected(root), bytes }),
  ];
  for (const event of events) for (const { apply } of [one, two]) await apply(event).catch(() => undefined);
  await one.end();
  await two.end();
  expect(readFileSync(file, "utf8")).toBe(whole);
});

test("J8: a line that could not be written is written with the next", async () => {
  const root = projectFolder();
  const { apply, end } = await beginOpenexec(projected(root));
  const file = join(root, ".openexec/runs/run_0123456789ab/timeline.jsonl");
  mkdirSync(file);
  await expect(apply(stored({ type: "run.started" }, 1))).rejects.toThrow("EISDIR");
  rmSync(file, { recursive: true });
  await apply(stored({ type: "run.resumed", after: "pause" }, 2));
  await end();
  const lines = readFileSync(file, "utf8").trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2]);
});

test("nothing is written through a link that leads out of the project", async () => {
  const [root, outside] = [projectFolder(), projectFolder()];
  mkdirSync(join(root, ".openexec"));
  symlinkSync(outside, join(root, ".openexec/runs"));
  await expect(beginOpenexec(projected(root))).rejects.toThrow("is no folder");
  expect(lstatSync(join(root, ".openexec/runs")).isSymbolicLink()).toBe(true);
  expect(pathsBelow(outside)).toEqual([]);
});
