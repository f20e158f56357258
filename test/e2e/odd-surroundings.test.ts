/** A command line whose folder is gone, or whose output cannot be written. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BIN, createProject, type Project } from "../support/cli.ts";

const ECHO = `version: 1
name: echo
workspace: directory
policy: { allow: [{ run: [echo, "**"] }] }
stages: [{ id: say, command: [echo, hi] }]
`;

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

  it.each(["status", "list", "verify --all", "help", "help run", "run --help", "schema", "--version"])(
    "is no success of `%s` for people either",
    (command) => {
      const { status, stderr } = sh(`"$0" "$1" ${command} >/dev/full`);
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^CLI_OUTPUT_LOST\n.*ENOSPC/) });
    },
  );

  it("is no success of a run, which has run all the same", () => {
    project.write("b.yaml", ECHO);
    const { status, stderr } = sh('"$0" "$1" run b.yaml >/dev/full');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^CLI_OUTPUT_LOST\n.*ENOSPC/m) });
    expect(JSON.parse(sh('"$0" "$1" status --json').stdout)).toMatchObject({ runs: [{ status: "succeeded" }] });
  });

  it("leaves another exit code than 0 as it is", () => {
    expect(sh('"$0" "$1" list --unknown >/dev/full')).toMatchObject({ status: 3 });
  });

  it("is not a reader that had enough", () => {
    const { status, stdout, stderr } = sh('{ "$0" "$1" schema --json; echo $? >&2; } | head -c 1');
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "{", stderr: "0\n" });
  });

  it.each(["schema", "help", "--version"])("is not a reader of `%s` that has left", (command) => {
    const { status, stderr } = sh(`{ sleep 0.1; "$0" "$1" ${command}; echo $? >&2; } | true`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "0\n" });
  });
});
