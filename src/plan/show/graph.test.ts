import { describe, expect, test } from "vitest";
import { argv, blueprint, command, gate, group, planOf } from "../../../test/support/blueprint-builder.ts";
import { drawGraph, mermaid } from "./graph.ts";

const plan = planOf(
  blueprint(
    [
      command("scan", { program: argv("npm", "test"), title: "Look", on: { success: "done", failure: "fix" } }),
      group("fix", [command("a"), command("b")], { on: { failure: "verify" } }),
      gate("verify", {
        judge: { by: "exit", escalateExits: [9] },
        on: { fail: "fix", pass: "tidy", escalate: "paused" },
      }),
      command("push", { level: "L2" }),
      command("tidy", { program: argv('say "<b>"'), on: { failure: "done" } }),
      command("last", { on: { success: "paused" } }),
      command("never", { level: "L2" }),
    ],
    { limits: { rounds: 3 } },
  ),
  { level: "L1" },
);

describe("drawGraph", () => {
  test("draws stages from top to bottom with their edges", () => {
    expect(drawGraph(plan)).toMatchInlineSnapshot(`
      "    start
          │
          ▼
      ┌────────────────┐
      │ scan · command │
      │ Look           │
      │ run npm test   │
      └───┬────────────┘
          ├─ success ─▶ done
          │ failure
          ▼
      ┌────────────────────────────────┐
      │ fix · group · at most 3 visits │
      │ 2 members, 1 at a time         │
      │ · fix.a: run true              │
      │ · fix.b: run true              │
      └───┬────────────────────────────┘
          │ success, failure
          ▼
      ┌──────────────────────────────────┐
      │ verify · gate · at most 3 visits │
      │ run true                         │
      └───┬──────────────────────────────┘
          ├─ fail ─▶ ↺ fix
          ├─ escalate ─▶ paused, then ↺ verify
          │ pass
          ▼
      ┌───────────────────┐
      │ tidy · command    │
      │ run "say \\"<b>\\"" │
      └───┬───────────────┘
          ├─ failure ─▶ done
          │ success
          ▼
      ┌────────────────┐
      │ last · command │
      │ run true       │
      └───┬────────────┘
          ├─ success ─▶ paused, then done (before never)
          └─ failure ─▶ fail
      "
    `);
  });

  test("ends the drawing where nothing leads to the next stage", () => {
    const apart = planOf(
      blueprint([
        command("a", { on: { success: "c", failure: "b" } }),
        command("b", { on: { success: "done" } }),
        command("c"),
      ]),
    );
    expect(drawGraph(apart)).toMatchInlineSnapshot(`
      "    start
          │
          ▼
      ┌─────────────┐
      │ a · command │
      │ run true    │
      └───┬─────────┘
          ├─ success ─▶ c
          │ failure
          ▼
      ┌─────────────┐
      │ b · command │
      │ run true    │
      └───┬─────────┘
          ├─ success ─▶ done
          └─ failure ─▶ fail

      ┌─────────────┐
      │ c · command │
      │ run true    │
      └───┬─────────┘
          ├─ success ─▶ done
          └─ failure ─▶ fail
      "
    `);
  });
});

describe("mermaid", () => {
  test("names stages and ends, dots edges back and escapes what Mermaid would read", () => {
    expect(mermaid(plan)).toMatchInlineSnapshot(`
      "flowchart TD
        start((" ")) --> s0
        s0["scan<br/>run npm test"]
        s1["fix<br/>2 members, 1 at a time"]
        s2["verify<br/>run true"]
        s3["tidy<br/>run #34;say #92;#34;#60;b#62;#92;#34;#34;"]
        s4["last<br/>run true"]
        e_done(["done"])
        e_paused(["paused"])
        e_fail(["fail"])
        s0 -- "success" --> e_done
        s0 -- "failure" --> s1
        s1 -- "success" --> s2
        s1 -- "failure" --> s2
        s2 -- "pass" --> s3
        s2 -. "fail ↺" .-> s1
        s2 -- "escalate" --> e_paused
        s2 -. "escalate, resumed ↺" .-> s2
        s3 -- "success" --> s4
        s3 -- "failure" --> e_done
        s4 -- "success" --> e_paused
        s4 -- "success, resumed, before never" --> e_done
        s4 -- "failure" --> e_fail
      "
    `);
  });
});
