/** What this machine's kernel says about a process behind a wall: whether it is behind one at all. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isWithin } from "./within.ts";

const NAMESPACES = {
  user: "users",
  pid: "processes",
  net: "network",
  mnt: "file systems",
  ipc: "shared memory",
  uts: "host name",
} as const;

const STATUS = [
  [/^Cap(?:Inh|Prm|Eff|Bnd|Amb):\s*0*[1-9a-f]/m, "it leaves capabilities to the program"],
  [/^NoNewPrivs:\s*0$/m, "it lets the program gain privileges"],
  [/^Seccomp:\s*[01]$/m, "it filters no system calls"],
] as const;

/** Every hole in the wall around the one process that descends from `pid`; none: it stands. */
export function holesAround(pid: number, expected: ReadonlyMap<string, "read" | "write">): readonly string[] {
  const inner = innermost(pid);
  if (inner === undefined) return ["the process behind it cannot be seen"];
  try {
    const status = readFileSync(`/proc/${inner}/status`, "latin1");
    return [
      ...Object.entries(NAMESPACES)
        .filter(([name]) => readlinkSync(`/proc/${inner}/ns/${name}`) === readlinkSync(`/proc/self/ns/${name}`))
        .map(([, what]) => `it shares the ${what} of this machine`),
      ...STATUS.filter(([pattern]) => pattern.test(status)).map(([, hole]) => hole),
      ...holesInMounts(readFileSync(`/proc/${inner}/mountinfo`, "latin1"), expected),
    ];
  } catch (error) {
    return [`the process behind it cannot be looked at (${(error as NodeJS.ErrnoException).code ?? "unknown"})`];
  }
}

/** Holes in the table of mounts, as /proc/<pid>/mountinfo shows it. */
export function holesInMounts(mountinfo: string, expected: ReadonlyMap<string, "read" | "write">): readonly string[] {
  const found = mountinfo
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "))
    .map((fields) => ({ path: unescaped(fields[4] ?? ""), options: (fields[5] ?? "").split(",") }));
  const paths = new Set(found.map(({ path }) => path));
  const missing = [...expected].filter(([path, access]) => access === "read" && !paths.has(path));
  return [
    ...missing.map(([path]) => `${path} is not mounted as it should be`),
    ...found.flatMap(({ path, options }) => {
      const over = coverOf(path, expected);
      if (over === undefined) return [`${path} is mounted and should not be`];
      return expected.get(over) === "read" && !options.includes("ro") ? [`${path} can be written`] : [];
    }),
  ];
}

/** The nearest expected mount that holds the path. What lies in the root alone is expected only by its own name. */
function coverOf(path: string, expected: ReadonlyMap<string, "read" | "write">): string | undefined {
  const holding = [...expected.keys()].filter((each) => each === path || (each !== "/" && isWithin([each], path)));
  return holding.sort((a, b) => b.length - a.length)[0];
}

/** Octal escapes for blanks and the like. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** The one descendant without children of its own; undefined when there is none or more than one. */
function innermost(pid: number): number | undefined {
  const children = childrenOf();
  let at = pid;
  for (;;) {
    const next = children.get(at) ?? [];
    if (next.length > 1) return undefined;
    if (next[0] === undefined) return at;
    at = next[0];
  }
}

function childrenOf(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((each) => /^[0-9]+$/.test(each))) {
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

/** undefined: it is gone, or has ended and only waits to be collected. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : Number(fields[1]);
  } catch {
    return undefined;
  }
}
