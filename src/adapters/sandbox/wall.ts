/** The arguments of bubblewrap for one wall: pure, so that what is asked of it can be read and tested. */
import type { BigIntStats } from "node:fs";
import { BEHIND } from "../../ports/sandbox.ts";
import { DESCRIPTORS } from "./launcher.ts";

/** What of this machine every wall shows, read-only. */
export interface SystemView {
  /** Folders and files at the path they have here. */
  readonly shown: readonly string[];
  /** What is found here at one path and shown at another. */
  readonly placed: readonly { readonly from: string; readonly to: string }[];
  readonly links: readonly { readonly target: string; readonly path: string }[];
  /** Parts of /proc that tell or change what is not the program's own. */
  readonly procReadOnly: readonly string[];
  readonly procHidden: readonly string[];
  /** PATH behind the wall. */
  readonly path: string;
}

/** One thing mounted; a later one lies over an earlier one. `id`: what was seen at `from`, and so must be found at `to`. */
export type Layer =
  | { readonly kind: "read" | "write"; readonly from: string; readonly to: string; readonly id: string }
  /** An empty folder that stays empty. */
  | { readonly kind: "empty"; readonly to: string };

export interface Wall {
  readonly system: SystemView;
  readonly layers: readonly Layer[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Device and number: no two things have the same while both exist. */
export function idOf({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

const MIB = 1024 * 1024;

/** Private and gone with the program; they live in memory, hence the sizes. */
export const PRIVATE_FOLDERS = [
  { path: "/tmp", mode: "1777", bytes: 1024 * MIB },
  { path: BEHIND.home, mode: "0700", bytes: 1024 * MIB },
  { path: "/run", mode: "0755", bytes: 64 * MIB },
  { path: "/dev/shm", mode: "1777", bytes: 256 * MIB },
] as const;

/** Of bubblewrap itself: its memory can be written through /proc, and with it the end of the wall put off. */
const FIRST_PROCESS = "/proc/1";

const SEPARATION = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--disable-userns",
  "--assert-userns-disabled",
  ...["--cap-drop", "ALL"],
  "--die-with-parent",
  "--new-session",
  ...["--uid", "1000", "--gid", "1000", "--hostname", "pawl"],
];

const ETC_FILES = [
  ["passwd", DESCRIPTORS.passwd],
  ["group", DESCRIPTORS.group],
  ["hosts", DESCRIPTORS.hosts],
  ["nsswitch.conf", DESCRIPTORS.switch],
] as const;

export function wallArguments(wall: Wall): readonly string[] {
  return [
    ...SEPARATION,
    "--clearenv",
    ...Object.entries(wall.env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...systemArguments(wall.system),
    ...wall.layers.flatMap(layerArguments),
    // Last of all: everything above had to find or make its place in it.
    ...["--remount-ro", "/"],
    ...["--chdir", wall.cwd],
    ...["--seccomp", String(DESCRIPTORS.filter)],
  ];
}

function systemArguments(system: SystemView): readonly string[] {
  return [
    ...["/etc", "/home", "/var"].flatMap((path) => ["--perms", "0755", "--dir", path]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...PRIVATE_FOLDERS.flatMap(({ path, mode, bytes }) => [
      ...["--perms", mode, "--size", String(bytes), "--tmpfs", path],
    ]),
    ...["--remount-ro", "/dev"],
    ...system.procReadOnly.flatMap((path) => ["--ro-bind", path, path]),
    // A device that may not be opened: neither read nor written.
    ...system.procHidden.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...layerArguments({ kind: "empty", to: FIRST_PROCESS }),
    ...system.shown.flatMap((path) => ["--ro-bind", path, path]),
    ...system.placed.flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...system.links.flatMap(({ target, path }) => ["--symlink", target, path]),
    ...ETC_FILES.flatMap(([name, descriptor]) => ["--perms", "0644", "--file", String(descriptor), `/etc/${name}`]),
  ];
}

function layerArguments(layer: Layer): readonly string[] {
  switch (layer.kind) {
    case "read":
      return ["--ro-bind", layer.from, layer.to];
    case "write":
      return ["--bind", layer.from, layer.to];
    case "empty":
      return ["--perms", "0555", "--tmpfs", layer.to, "--remount-ro", layer.to];
  }
}

/** What may be mounted behind a wall that shows this system and nothing else, and whether it may be written. */
export function expectedMounts(system: SystemView): ReadonlyMap<string, "read" | "write"> {
  return new Map<string, "read" | "write">([
    ["/", "read"],
    ["/proc", "write"],
    ...[...system.procReadOnly, ...system.procHidden, FIRST_PROCESS].map((path) => [path, "read"] as const),
    ["/dev", "read"],
    ...["null", "zero", "full", "random", "urandom", "tty", "pts"].map((name) => [`/dev/${name}`, "write"] as const),
    ...PRIVATE_FOLDERS.map(({ path }) => [path, "write"] as const),
    ...system.shown.map((path) => [path, "read"] as const),
    ...system.placed.map(({ to }) => [to, "read"] as const),
  ]);
}
