import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script } from "../../../test/support/run-plan.ts";

async function played(yaml: string, script: Script = {}, params = {}) {
  const host = createTestHost(planFrom(yaml, { params }), script);
  const end = await host.start();
  const refused = (await host.events()).find((event) => event.type === "stage.refused");
  return { host, end, refused };
}

describe("what a stage is about to do", () => {
  it("keeps the type of a value that is one reference, and writes the others as text", async () => {
    const yaml =
      'params: { n: { type: number }, cmd: { type: list, default: [ok, "1"] } }\nstages:\n  - { id: a, command: "${params.cmd}" }\n  - { id: b, command: [ok, "${params.n}", "x${params.n}y", true] }\n';
    const { host } = await played(yaml, {}, { n: 7 });
    expect(host.executed.map((request) => request.argv)).toEqual([
      ["ok", "1"],
      ["ok", "7", "x7y", "true"],
    ]);
  });

  it("never reads a value for references again", async () => {
    const { host } = await played(
      'params: { evil: { default: "$${run.id}" } }\nstages:\n  - { id: a, command: [ok, "${params.evil}"] }\n',
    );
    expect(host.executed[0]?.argv).toEqual(["ok", "${run.id}"]);
  });

  it("gives shell text to a shell", async () => {
    const { host } = await played("stages:\n  - { id: a, command: ok | cat }\n");
    expect(host.executed[0]?.argv).toEqual(["/bin/sh", "-c", "ok | cat"]);
  });

  it("knows the run, its round and the results before", async () => {
    const yaml =
      'stages:\n  - { id: a, command: [ok], capture: json }\n  - { id: b, command: [ok, "${run.id}", "${run.round}", "${stages.a.outcome}", "${stages.a.exit}", "${stages.a.output.deep.x}"] }\n';
    const { host } = await played(yaml, { stages: { a: [{ output: { deep: { x: 1 } } }] } });
    expect(host.executed[1]?.argv).toEqual(["ok", host.run, "1", "success", "0", "1"]);
  });

  it("refuses what has no value, however it is missing", async () => {
    const yaml = (ref: string) =>
      `stages:\n  - { id: a, command: [ok], capture: json }\n  - { id: b, command: [ok, "${ref}"] }\n`;
    for (const [ref, output] of [
      ["${stages.a.output.x}", {}],
      ["${stages.a.output.x.y}", { x: 1 }],
      ["${stages.a.output.toString}", {}],
      ["${stages.a.output.x.y}", { x: null }],
    ] as const) {
      const { refused } = await played(yaml(ref), { stages: { a: [{ output }] } });
      expect(refused).toMatchObject({ stage: "b", error: `${ref} has no value` });
    }
  });

  it("refuses a command that is no list of texts", async () => {
    const list = 'params: { cmd: { default: [] } }\nstages:\n  - { id: a, command: "${params.cmd}" }\n';
    expect((await played(list)).refused).toMatchObject({ error: "the command is not a list of arguments" });
    const nested = 'params: { cmd: { default: [ok, null] } }\nstages:\n  - { id: a, command: "${params.cmd}" }\n';
    expect((await played(nested)).refused).toMatchObject({ error: "argument 1 is null" });
  });

  it("hands artifacts on by name, and refuses to begin without them", async () => {
    const yaml =
      "stages:\n  - { id: a, command: [ok], outputs: { note: n.txt }, on_failure: b }\n  - { id: b, command: [ok], inputs: [a.note, a.log] }\n";
    const note = { sha256: "ab", bytes: 2 };
    const { host } = await played(yaml, { stages: { a: [{ artifacts: { note } }] } });
    expect(host.executed[1]?.inputs).toEqual({ "a.note": note, "a.log": { sha256: "0".repeat(64), bytes: 0 } });
    const without = await played(yaml, { stages: { a: [{ cause: "exit", exit: 1 }] } });
    expect(without.refused).toMatchObject({ error: "input a.note does not exist: its stage has not produced it" });
  });

  it("refuses a child run whose parameter has another type than it declares", async () => {
    const child =
      "version: 1\nname: child\nparams: { n: { type: number }, any: { default: 1 } }\npolicy: { allow: [ { run: [ok] } ] }\nstages: [ { id: c, command: [ok] } ]\n";
    const yaml =
      'params: { word: { default: x } }\nstages:\n  - { id: r, run: { blueprint: ./child.yaml, params: { n: "${params.word}", any: [1] } } }\n';
    const host = createTestHost(planFrom(yaml, { children: { "child.yaml": child } }));
    await host.start();
    expect((await host.events()).find((event) => event.type === "stage.refused")).toMatchObject({
      error: "parameter n is not a number",
    });
  });

  it("gives each item of a fan-out its own values", async () => {
    const yaml =
      'stages:\n  - { id: f, group: { for_each: [ { n: 1 }, { n: 2 } ], stage: { command: [ok, "${item.n}"], env: { I: "${index}" } } } }\n';
    const { host } = await played(yaml);
    expect(host.executed.map((request) => [...request.argv, request.env["I"]])).toEqual([
      ["ok", "1", "0"],
      ["ok", "2", "1"],
    ]);
  });
});

describe("what an agent is about to do", () => {
  const ASKED = `version: 1
name: test
policy: { ask: [{ action: "agent.*" }, { run: ["**"] }], allow: [{ read: "**" }] }
`;

  it("is what policy asks about: its program, or the backend by name, with all that it is given", async () => {
    const agent =
      'agent: { use: asks, goal: "Repair ${run.round}.", script: s.yaml, toolset: coding_backend, with: { depth: "${run.round}" } }';
    const { host } = await played(`${ASKED}stages:\n  - { id: a, ${agent} }\n`);
    expect((await host.events()).find((event) => event.type === "approval.requested")).toMatchObject({
      kind: "policy",
      request: {
        kind: "action",
        action: "agent.asks",
        agent: {
          use: "asks",
          role: "implementer",
          model: null,
          toolset: "coding_backend",
          goal: "Repair 1.",
          settings: { depth: 1, script: { says: "s.yaml" } },
        },
        cwd: ".",
        wall: { sandbox: "workspace_write" },
      },
    });
  });

  it("is any tool where it has no toolset", async () => {
    const { host } = await played(`${ASKED}stages:\n  - { id: a, agent: { use: asks, goal: x } }\n`);
    const asked = (await host.events()).find((event) => event.type === "approval.requested");
    expect(asked?.request?.["agent"]).toMatchObject({ toolset: null });
  });

  it("is refused where it has no value", async () => {
    const { refused } = await played(
      'params: { x: { default: null } }\nstages:\n  - { id: a, agent: { use: asks, goal: "${params.x}" } }\n',
    );
    expect(refused).toMatchObject({ error: "the goal is null" });
  });
});
