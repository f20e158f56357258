import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Gateway, keepPutOff, layGate, readPutOff } from "./put-off.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-claude-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const CALL = {
  id: "toolu_1",
  tool: "Write",
  input: { file_path: "/workspace/a", content: 'x "y"\nz * $(id) `id` \\' },
};

describe("a call that was put off", () => {
  test("is kept for its session, and for no other", async () => {
    expect(await readPutOff(home, "s-1")).toBeNull();
    await keepPutOff(home, "s-1", CALL);
    expect(await readPutOff(home, "s-1")).toEqual(CALL);
    expect(await readPutOff(home, "s-2")).toBeNull();
    expect(await readPutOff(home, null)).toBeNull();
    expect(readdirSync(home)).toEqual(["claude-put-off.json"]);
    await keepPutOff(home, "s-1", null);
    expect(await readPutOff(home, "s-1")).toBeNull();
  });

  test("is not made up from a file that says something else", async () => {
    writeFileSync(join(home, "claude-put-off.json"), '{"session":"s-1","id":7}');
    expect(await readPutOff(home, "s-1")).toBeNull();
  });
});

/** Runs the hook as the program does, with the folder where it is on this machine. 0: it passes. */
function passes({ hooks, mount }: Gateway, call: unknown): boolean {
  const [group] = hooks["PreToolUse"] as readonly { hooks: readonly { command: string; onFailure: string }[] }[];
  const [hook] = group?.hooks ?? [];
  expect(hook?.onFailure).toBe("block");
  const command = (hook?.command ?? "").replace(mount.to, mount.from);
  try {
    execFileSync("/bin/sh", ["-c", command], { input: JSON.stringify(call), stdio: ["pipe", "ignore", "ignore"] });
    return true;
  } catch {
    return false;
  }
}

const told = ({ id, tool, input }: typeof CALL): unknown => ({
  hook_event_name: "PreToolUse",
  tool_name: tool,
  tool_input: input,
  tool_use_id: id,
});

describe("what lies before a session that is taken up again", () => {
  const other = { ...CALL, id: "toolu_2" };
  const forged = { ...CALL, input: { ...CALL.input, content: "forged" } };

  test("lets the call pass that was allowed, to the byte, and nothing else before the gate is open", async () => {
    const gate = await layGate(home, CALL, true);
    expect([CALL, forged, other].map((call) => passes(gate, told(call)))).toEqual([true, false, false]);
    await gate.open();
    expect([CALL, forged, other].map((call) => passes(gate, told(call)))).toEqual([true, false, true]);
  });

  test("names the file that an allowed call writes", async () => {
    expect((await layGate(home, CALL, true)).file).toBe("/workspace/a");
    expect((await layGate(home, CALL, false)).file).toBeNull();
    expect((await layGate(home, { ...CALL, tool: "Bash" }, true)).file).toBeNull();
    const notebook = { ...CALL, tool: "NotebookEdit", input: { notebook_path: "n.ipynb" } };
    expect((await layGate(home, notebook, true)).file).toBe("n.ipynb");
  });

  test("never lets a call pass that was denied", async () => {
    const gate = await layGate(home, CALL, false);
    await gate.open();
    expect([CALL, forged, other].map((call) => passes(gate, told(call)))).toEqual([false, false, true]);
  });

  test("lets nothing pass before the gate is open when nothing was put off", async () => {
    const gate = await layGate(home, null, false);
    expect([gate.call, gate.file]).toEqual([null, null]);
    expect(passes(gate, told(CALL))).toBe(false);
    await gate.open();
    expect(passes(gate, told(CALL))).toBe(true);
  });

  test("lets nothing pass when it is not there", async () => {
    const gate = await layGate(home, CALL, true);
    rmSync(gate.mount.from, { recursive: true });
    expect(passes(gate, told(CALL))).toBe(false);
  });

  test("begins shut, whatever was before", async () => {
    await (await layGate(home, CALL, true)).open();
    expect(passes(await layGate(home, CALL, true), told(other))).toBe(false);
  });
});
