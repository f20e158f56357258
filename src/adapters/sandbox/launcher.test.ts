import { describe, expect, it } from "vitest";
import { EGRESS_WAY } from "./bridge.ts";
import { type Launch, launch } from "./launcher.ts";

const START: Launch = {
  program: "/usr/bin/bwrap",
  wall: ["--unshare-user", "--setenv", "TOKEN", "se cret%s\\'\n"],
  filter: Uint8Array.of(0, 255, 65, 37),
  leaked: [],
  before: [],
  within: [],
  key: "r_1:build:1",
  argv: ["npm", "test"],
  fileBytes: null,
  bridge: null,
};

/** What the outer script would write for these variables: the format of a printf, read. */
function written(env: Readonly<Record<string, string>>): string {
  const text = Object.keys(env)
    .filter((name) => name.startsWith("PAWL_WALL_"))
    .map((name) => env[name])
    .join("");
  const bytes = text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

describe("launch", () => {
  it("puts nothing of the wall on a command line, and its arguments arrive whole and with their last word", () => {
    const { argv, env } = launch(START);
    expect(argv.join("\n")).not.toMatch(/TOKEN|cret|unshare/);
    expect(written(env)).toBe("--unshare-user\0--setenv\0TOKEN\0se cret%s\\'\n\0--setenv\0PAWL_WALL\0stands\0");
    expect(Object.keys(env)).toEqual(["PAWL_KEY", "PAWL_WALL_0"]);
    expect(argv.slice(-4)).toEqual([expect.stringContaining('exec "$@" 3>&-'), "pawl", "npm", "test"]);
  });

  it("cuts what is too long for one variable, and has it written by a process of its own", () => {
    const value = "é\n".repeat(60_000);
    const { argv, env } = launch({ ...START, wall: ["--setenv", "BIG", value] });
    expect(Object.keys(env).length).toBeGreaterThan(3);
    for (const text of Object.values(env)) expect(text.length).toBeLessThan(131_072);
    expect(written(env)).toContain(value);
    expect(argv.join("\n")).toContain("7<&- 8>&- &");
    expect(launch(START).argv.join("\n")).not.toContain("7<&- 8>&- &");
  });

  it("closes descriptors that would be passed on, which needs another shell", () => {
    expect(launch(START).argv[0]).toBe("/bin/sh");
    const { argv } = launch({ ...START, leaked: [12, 251] });
    expect(argv.slice(0, 3)).toEqual(["/bin/bash", "--norc", "-c"]);
    expect(argv[3]).toMatch(/^exec 12>&-\nexec 251>&-\n/);
  });

  it("limits files in the unit of the shell, and only when asked to", () => {
    expect(launch({ ...START, fileBytes: 1025 }).argv.join("\n")).toContain("ulimit -f 3\n");
    expect(launch({ ...START, fileBytes: 0 }).argv.join("\n")).toContain("ulimit -f 0\n");
    expect(launch(START).argv.join("\n")).not.toContain("ulimit -f");
  });

  it("starts a bridge only when there is a network", () => {
    const { argv } = launch({ ...START, bridge: { node: "/opt/it's/node", ways: [EGRESS_WAY] } });
    expect(argv.join("\n")).toContain("env -i '/opt/it'\\''s/node' ");
    expect(launch(START).argv.join("\n")).not.toMatch(/mkfifo|node/);
  });
});
