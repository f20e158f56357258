import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { holesAround, holesInMounts } from "./inspect.ts";

const EXPECTED = new Map<string, "read" | "write">([
  ["/", "read"],
  ["/proc", "write"],
  ["/proc/sys", "read"],
  ["/usr", "read"],
  ["/tmp", "write"],
]);

const line = (path: string, options: string): string => `31 23 0:26 / ${path} ${options} shared:1 - tmpfs tmpfs rw`;
const WHOLE = [
  line("/", "ro,nosuid"),
  line("/proc", "rw"),
  line("/proc/sys", "ro"),
  line("/usr", "ro,nodev"),
  line("/tmp", "rw"),
];
const holes = (...lines: readonly string[]): readonly string[] => holesInMounts(`${lines.join("\n")}\n`, EXPECTED);

describe("holesInMounts", () => {
  it("finds none in a table that is as it should be", () => {
    expect(holes(...WHOLE)).toEqual([]);
    expect(holes(...WHOLE, line("/usr/local", "ro"), line("/proc/irq", "ro"), line("/tmp/deep", "rw"))).toEqual([]);
  });

  it.each([
    [[line("/home/ada", "ro")], "/home/ada is mounted and should not be"],
    [[line("/usr/local", "rw")], "/usr/local can be written"],
    [[line("/proc/sys/kernel", "rw")], "/proc/sys/kernel can be written"],
    [[line("/usr\\040two", "ro")], "/usr two is mounted and should not be"],
    [[line("/", "rw")], "/ can be written"],
  ])("finds what was added: %j", (added, hole) => {
    expect(holes(...WHOLE, ...added)).toEqual([hole]);
  });

  it("finds what is missing", () => {
    expect(holes(...WHOLE.filter((each) => !each.includes("/proc/sys")))).toEqual([
      "/proc/sys is not mounted as it should be",
    ]);
    expect(holesInMounts("", EXPECTED)).toHaveLength(3);
  });
});

describe("holesAround", () => {
  it("finds no wall at all around a process of this machine", async () => {
    // Not this process itself: other tests start processes of their own from it.
    const child = spawn("sleep", ["30"], { stdio: "ignore" });
    await once(child, "spawn");
    try {
      const found = holesAround(child.pid ?? 0, EXPECTED);
      for (const what of ["users", "processes", "network", "file systems", "shared memory", "host name"])
        expect(found).toContain(`it shares the ${what} of this machine`);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("says when there is no such process", () => {
    expect(holesAround(2 ** 30, EXPECTED)).toEqual(["the process behind it cannot be looked at (ENOENT)"]);
  });
});
