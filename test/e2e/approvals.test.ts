/** Questions and answers as people give them: from the command line, by two at once, from a STATE.md, and late. */
import { afterEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";
import { git } from "../support/git-project.ts";

const BLUEPRINT = `version: 1
name: demo
policy: { allow: [ { action: file.append } ], ask: [ { run: ["touch", "**"] } ] }
stages:
  - { id: ask, gate: { approval: { question: "Fine?", expires: 1h, remind: 10m } } }
  - { id: count, action: file.append, with: { path: count.txt, line: applied } }
`;

const projects: Project[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function project(blueprint: string = BLUEPRINT): Project {
  const made = createProject({ "blueprint.yaml": blueprint, "a.txt": "a\n" });
  projects.push(made);
  git(made.root, "init", "-q");
  git(made.root, "add", "-A");
  git(made.root, "commit", "-qm", "first");
  return made;
}

interface Listed {
  readonly approvals: readonly {
    readonly approval: { readonly id: string; readonly run: string; readonly status: string };
  }[];
}

async function asking(made: Project): Promise<{ readonly id: string; readonly run: string }> {
  expect((await made.pawl("run", "blueprint.yaml")).code).toBe(2);
  const { value } = await made.json("approvals");
  const [first] = (value as Listed).approvals;
  if (first === undefined) throw new Error("nothing is asked");
  return first.approval;
}

describe("pawl approvals, approve and deny", () => {
  it("list, show, answer and go on", async () => {
    const made = project();
    const { id, run } = await asking(made);
    const list = await made.pawl("approvals");
    expect(list.stdout).toContain(id);
    expect(list.stdout).toContain("Fine?");
    const shown = await made.pawl("approve", id.slice(0, 14), "--show");
    expect([shown.code, shown.stdout.includes("Fine?"), shown.stdout.includes("pending")]).toEqual([0, true, true]);
    const gate = await made.pawl("approve", id, "--for-run");
    expect([gate.code, gate.stderr.includes("RUN_ANSWER_UNKNOWN")]).toEqual([3, true]);
    const recorded = await made.pawl("approve", id, "--no-run", "--why", "looks good", "--by", "ann");
    expect(recorded.stdout).toContain(`pawl resume ${run}`);
    expect((await made.pawl("approve", id)).stderr).toContain("RUN_APPROVAL_USED");
    expect((await made.pawl("resume", run)).stdout).toContain("count success");
    expect((await made.pawl("approvals", run)).stdout).toContain("approved");
    expect((await made.pawl("approvals")).stdout).toContain("nothing is asked");
    expect((await made.pawl("replay", run)).code).toBe(0);
  });

  it("let one of two processes win, and apply once", async () => {
    const made = project();
    const { id } = await asking(made);
    const both = await Promise.all([made.pawl("approve", id), made.pawl("approve", id)]);
    const lost = both.filter(({ stderr }) => /RUN_APPROVAL_USED|RUN_HELD/.test(stderr));
    expect(lost).toHaveLength(1);
    const events = await made.pawl("events", "@last");
    expect(events.stdout.match(/count success/g)).toHaveLength(1);
    expect(events.stdout.match(/answered approve/g)).toHaveLength(1);
  });

  it("end the run when they refuse, with an exit code for people", async () => {
    const made = project();
    const { id } = await asking(made);
    const denied = await made.pawl("deny", id, "--why", "not now", "--by", "ann");
    expect([denied.code, denied.stdout.includes("approval_denied")]).toEqual([2, true]);
    expect((await made.pawl("approve", id)).stderr).toContain("RUN_APPROVAL_USED");
    expect((await made.pawl("approve", "nothing")).stderr).toContain("RUN_APPROVAL_NOT_FOUND");
    expect((await made.pawl("status")).stdout).toContain("rejected");
  });

  it("take decisions from a STATE.md", async () => {
    const made = project();
    const { id, run } = await asking(made);
    made.write("STATE.md", `# State\n- [x] ${id} — publish. Human decision: perhaps\n`);
    const unclear = await made.pawl("approvals", "--from", "STATE.md");
    expect([unclear.code, unclear.stdout.includes("not answered, line 2")]).toEqual([2, true]);
    made.write("STATE.md", `# State\n- [x] ${id} — publish. Human decision: approve\n`);
    const taken = await made.pawl("approvals", "--from", "STATE.md");
    expect([taken.code, taken.stdout.includes(`pawl resume ${run}`)]).toEqual([0, true]);
    expect((await made.pawl("approvals", "--from", "missing.md")).code).toBe(3);
  });
});
