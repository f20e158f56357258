import { describe, expect, it } from "vitest";
import { expectedMounts, type SystemView, wallArguments } from "./wall.ts";

const SYSTEM: SystemView = {
  shown: ["/usr", "/opt/node"],
  placed: [{ from: "/etc/ssl/certs", to: "/etc/ssl/certs" }],
  links: [{ target: "/usr/bin", path: "/bin" }],
  procReadOnly: ["/proc/sys"],
  procHidden: ["/proc/keys"],
  path: "/usr/bin",
};

const argumentsOf = (change: Partial<Parameters<typeof wallArguments>[0]> = {}): readonly string[] =>
  wallArguments({ system: SYSTEM, layers: [], env: {}, cwd: "/workspace", ...change });

describe("wallArguments", () => {
  it("asks for every separation, whatever is asked for besides", () => {
    const asked = argumentsOf();
    for (const flag of [
      ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
      ...["--disable-userns", "--assert-userns-disabled", "--die-with-parent", "--new-session", "--clearenv"],
    ])
      expect(asked).toContain(flag);
    expect(asked.join(" ")).toContain("--cap-drop ALL");
    expect(asked.join(" ")).toMatch(/--remount-ro \/ --chdir \/workspace --seccomp 8$/);
  });

  it("shows the system read-only, and never shares, adds or binds to write by itself", () => {
    const asked = argumentsOf();
    expect(asked.join(" ")).toContain("--ro-bind /usr /usr --ro-bind /opt/node /opt/node");
    for (const flag of ["--bind", "--dev-bind", "--cap-add", "--share-net"]) expect(asked).not.toContain(flag);
  });

  it("gives every private folder a size", () => {
    const sizes = [
      ...argumentsOf()
        .join(" ")
        .matchAll(/--perms \d+ --size (\d+) --tmpfs (\S+)/g),
    ].map((found) => found[2]);
    expect(sizes).toEqual(["/tmp", "/home/pawl", "/run", "/dev/shm"]);
  });

  it("lays what is given over the system, in order, before the root is closed", () => {
    const text = argumentsOf({
      env: { A: "b c", D: "" },
      layers: [
        { kind: "write", from: "/host/tree", to: "/workspace", id: "1:2" },
        { kind: "read", from: "/host/tree/.git", to: "/workspace/.git", id: "1:3" },
        { kind: "empty", to: "/workspace/.vscode" },
      ],
    }).join("\n");
    expect(text).toContain("--clearenv\n--setenv\nA\nb c\n--setenv\nD\n\n");
    expect(text).toContain(
      [
        ...["--bind", "/host/tree", "/workspace"],
        ...["--ro-bind", "/host/tree/.git", "/workspace/.git"],
        ...["--perms", "0555", "--tmpfs", "/workspace/.vscode", "--remount-ro", "/workspace/.vscode"],
        ...["--remount-ro", "/", "--chdir"],
      ].join("\n"),
    );
  });
});

describe("expectedMounts", () => {
  it("names every mount of an empty wall and which of them can be written", () => {
    const expected = expectedMounts(SYSTEM);
    expect([...expected].filter(([, access]) => access === "read").map(([path]) => path)).toEqual([
      ...["/", "/proc/sys", "/proc/keys", "/proc/1", "/dev", "/usr", "/opt/node", "/etc/ssl/certs"],
    ]);
    expect(
      [...expected].filter(([path, access]) => access === "write" && !path.startsWith("/dev")).map(([path]) => path),
    ).toEqual([...["/proc", "/tmp", "/home/pawl", "/run"]]);
  });
});
