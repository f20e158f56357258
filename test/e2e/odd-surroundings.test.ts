/** A command line whose folder is gone, or whose output cannot be written. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BIN, createProject, type Project } from "../support/cli.ts";

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(() => project.remove());

function sh(script: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync("sh", ["-c", script, process.execPath, BIN], { cwd: project.root, encoding: "utf8" });
}

it("a folder that is gone is named as the problem", () => {
  const { status, stdout, stderr } = sh('mkdir d; cd d; rmdir ../d; "$0" "$1" status --json');
  expect({ status, stderr }).toEqual({ status: 3, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ error: { problems: [{ code: "CLI_FOLDER_GONE" }] } });
});

describe.skipIf(!existsSync("/dev/full"))("output that found no space", () => {
  it("is no success of a command whose answer it is", () => {
    const { status, stderr } = sh('"$0" "$1" status --json >/dev/full');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^CLI_OUTPUT_LOST\n.*ENOSPC/) });
  });

  it("leaves people a word, and the exit code as it is", () => {
    const { status, stderr } = sh('"$0" "$1" status >/dev/full');
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^CLI_OUTPUT_LOST\n.*ENOSPC/) });
  });

  it("is not a reader that had enough", () => {
    const { status, stdout, stderr } = sh('{ "$0" "$1" schema --json; echo $? >&2; } | head -c 1');
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "{", stderr: "0\n" });
  });
});
