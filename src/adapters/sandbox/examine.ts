/** Whether a program is a bubblewrap that builds the wall we ask for. Believed only when the kernel says so too. */
import { randomUUID } from "node:crypto";
import { accessSync, constants, statSync } from "node:fs";
import { visibleLine } from "../../base/visible.ts";
import { converse, type Heard } from "./converse.ts";
import { installHint, namespacesHint } from "./hints.ts";
import { holesAround } from "./inspect.ts";
import { launch } from "./launcher.ts";
import { leakedDescriptors } from "./leaked-descriptors.ts";
import { expectedMounts, type SystemView, wallArguments } from "./wall.ts";
import { isWithin } from "./within.ts";

export interface Candidate {
  readonly program: string;
  readonly system: SystemView;
  readonly filter: Uint8Array;
  readonly patienceMs: number;
}

export interface Finding {
  /** null: it builds walls. */
  readonly missing: string | null;
  readonly hint: string | null;
  readonly name: string;
}

const OLDEST = [0, 8] as const;

/** Made by the kernel in every new network, without any way to use them. */
const HARMLESS_INTERFACES = new Set(
  "lo tunl0 sit0 ip6tnl0 gre0 gretap0 erspan0 ip_vti0 ip6_vti0 ip6gre0 teql0".split(" "),
);

/** Does no harm where there is no wall: it asks what could be written and writes nothing. */
const PROBE = `
while read -r name rest; do case $name in *:*) echo "interface \${name%%:*}";; esac; done </proc/net/dev
for path in / /dev /etc /usr /usr/bin /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do
  [ -w "$path" ] && echo "$path can be written"
done
for path in /tmp/* /tmp/.[!.]*; do [ -e "$path" ] && echo "temporary $path"; done
unshare --user true 2>/dev/null && echo "it lets the program make namespaces"
echo "$PAWL_PROBE"
`;

export async function examine(candidate: Candidate): Promise<Finding> {
  const { program, patienceMs } = candidate;
  const unknown = { name: "bubblewrap" };
  if (!isProgram(program))
    return { ...unknown, missing: `${program} is not a program that can be run`, hint: installHint() };
  const said = await converse({ argv: [program, "--version"], env: {} }, patienceMs, () => false);
  const version = /^bubblewrap ((\d+)\.(\d+)\S*)$/m.exec(said.stdout);
  if (said.code !== 0 || version === null)
    return {
      ...unknown,
      missing: `${program} does not say which bubblewrap it is${lastWords(said)}`,
      hint: installHint(),
    };
  const name = `bubblewrap ${version[1]}`;
  const [major, minor] = [Number(version[2]), Number(version[3])];
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    return { name, missing: `${name} is too old, ${OLDEST.join(".")} is the oldest that will do`, hint: installHint() };
  return { name, ...(await tryWall(candidate)) };
}

async function tryWall({ program, system, filter, patienceMs }: Candidate): Promise<Omit<Finding, "name">> {
  const nonce = randomUUID();
  const start = launch({
    program,
    wall: wallArguments({ system, layers: [], env: { PATH: system.path, PAWL_PROBE: nonce }, cwd: "/tmp" }),
    filter,
    leaked: leakedDescriptors(),
    before: [],
    within: [],
    key: `probe-${nonce}`,
    argv: ["/bin/sh", "-c", PROBE],
    fileBytes: null,
    bridge: null,
  });
  const expected = expectedMounts(system);
  let holes: readonly string[] = [];
  const heard = await converse(start, patienceMs, (pid) => {
    holes = holesAround(pid, expected);
    return holes.length === 0;
  });
  if (holes.length > 0) return hole(program, holes);
  if (heard.wasLate) return { missing: `${program} gives no answer`, hint: installHint() };
  if (!heard.wasReady)
    return { missing: `${program} cannot build a wall here${lastWords(heard)}`, hint: namespacesHint() };
  const found = holesIn(heard, nonce, [...expected.keys()]);
  return found.length > 0 ? hole(program, found) : { missing: null, hint: null };
}

function hole(program: string, holes: readonly string[]): Omit<Finding, "name"> {
  return {
    missing: `the wall that ${program} builds has a hole: ${visibleLine(holes.join("; "), 300)}`,
    hint: "Use the bubblewrap of your distribution, not a wrapper around it, and try again.",
  };
}

function holesIn(heard: Heard, nonce: string, mounts: readonly string[]): readonly string[] {
  const lines = heard.stdout.split("\n").filter((line) => line !== "");
  if (heard.code !== 0 || lines.pop() !== nonce)
    return [`what runs behind it does not answer as it should${lastWords(heard)}`];
  return lines.flatMap((line) => {
    const [, what, name = ""] = /^(interface|temporary) (.*)$/.exec(line) ?? [];
    if (what === "interface") return HARMLESS_INTERFACES.has(name) ? [] : [`it has the network interface ${name}`];
    // What is shown may lie below /tmp: then the way to it is there, and nothing else.
    if (what === "temporary") return mounts.some((mount) => isWithin([name], mount)) ? [] : ["its /tmp is not empty"];
    return [line];
  });
}

function lastWords(heard: Heard): string {
  const line = heard.stderr.trim().split("\n").at(-1) ?? "";
  return line === "" ? "" : `: ${visibleLine(line, 200)}`;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
