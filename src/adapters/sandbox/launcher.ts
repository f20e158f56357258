/**
 * The two small shell scripts around bubblewrap. The outer one hands it what must come by descriptor, so that nothing
 * of it stands on a command line that other users can read or that shows behind the wall. The inner one is the first
 * thing behind the wall: it says that the wall stands, waits for the word, and becomes the program.
 *
 *   host ── outer (becomes bubblewrap) ══ wall ══ inner (becomes the program)
 *             4–9: files, arguments, filter        3: "." →, ← a line
 */
import { BRIDGE_SIGNAL, bridgeProgram, type Way } from "./bridge.ts";

/** What bubblewrap reads from each descriptor. 3 is the caller's; a plain shell knows only one digit. */
export const DESCRIPTORS = { passwd: 4, group: 5, hosts: 6, arguments: 7, filter: 8, switch: 9 } as const;

/** The last of the arguments: they arrived whole. */
const WHOLE = ["PAWL_WALL", "stands"] as const;

const FILES = [
  [
    DESCRIPTORS.passwd,
    [
      "root:x:0:0:root:/nonexistent:/bin/false",
      "pawl:x:1000:1000:pawl:/home/pawl:/bin/sh",
      "nobody:x:65534:65534:nobody:/nonexistent:/bin/false",
    ],
  ],
  [DESCRIPTORS.group, ["root:x:0:", "pawl:x:1000:", "nogroup:x:65534:"]],
  [DESCRIPTORS.hosts, ["127.0.0.1 localhost pawl", "::1 localhost pawl"]],
  [DESCRIPTORS.switch, ["passwd: files", "group: files", "hosts: files", "services: files", "protocols: files"]],
] as const;

/** So much always fits into a pipe that nobody reads yet. */
const PIPE_BYTES = 4096;
/** The most files that one process may have open. */
const OPEN_FILES = 16_384;
/** The kernel takes at most 128 KiB in one variable. */
const CHUNK = 100_000;

export interface Launch {
  /** Path of bubblewrap. */
  readonly program: string;
  /** Its arguments, without the program to enclose. */
  readonly wall: readonly string[];
  readonly filter: Uint8Array;
  /** Descriptors above 9 that this process would pass on. */
  readonly leaked: readonly number[];
  /** Lines of shell to run on this machine before the wall is built. */
  readonly before: readonly string[];
  /** Lines of shell to run behind the wall before it is said to stand. */
  readonly within: readonly string[];
  readonly key: string;
  /** The program to enclose. */
  readonly argv: readonly string[];
  readonly fileBytes: number | null;
  /** Path of Node behind the wall, and the ways of the bridge; null: there is no network. */
  readonly bridge: { readonly node: string; readonly ways: readonly Way[] } | null;
}

export function launch(start: Launch): { readonly argv: readonly string[]; readonly env: Record<string, string> } {
  const bytes = Buffer.from([...start.wall, "--setenv", ...WHOLE].map((part) => `${part}\0`).join(""), "utf8");
  const chunks = chunksOf(escaped(bytes));
  const names = chunks.map((_, index) => `PAWL_WALL_${index}`);
  const env: Record<string, string> = { PAWL_KEY: start.key };
  for (const [index, name] of names.entries()) env[name] = chunks[index] as string;
  const outer = outerScript(names, bytes.length > PIPE_BYTES, start);
  const inner = innerScript(start);
  return {
    argv: [
      // A plain shell cannot name a descriptor above 9; the other one may take its input for a login.
      ...(start.leaked.length === 0 ? ["/bin/sh"] : ["/bin/bash", "--norc"]),
      "-c",
      outer,
      start.program,
      "--args",
      String(DESCRIPTORS.arguments),
      "--",
      "/bin/sh",
      "-c",
      inner,
      "pawl",
      ...start.argv,
    ],
    env,
  };
}

function outerScript(names: readonly string[], isLarge: boolean, start: Launch): string {
  const { arguments: args, filter } = DESCRIPTORS;
  const text = names.map((name) => `$${name}`).join("");
  return [
    ...start.leaked.map((descriptor) => `exec ${descriptor}>&-`),
    "unset PWD OLDPWD SHLVL",
    ...start.before,
    ...openPipe(args),
    `exec ${filter}>/proc/self/fd/${args}`,
    // What may not fit is written by a process of its own, which ends when nobody reads any more.
    isLarge ? `{ printf -- "${text}"; } >&${filter} 3>&- ${args}<&- ${filter}>&- &` : `printf -- "${text}" >&${filter}`,
    `unset ${names.join(" ")}`,
    ...openPipe(filter),
    `printf -- '${escaped(start.filter)}' >/proc/self/fd/${filter}`,
    ...FILES.flatMap(([descriptor, lines]) => [`exec ${descriptor}<<'PAWL'`, ...lines, "PAWL"]),
    'exec "$0" "$@"',
  ].join("\n");
}

/** A new pipe, its read end at `descriptor`. Some shells make no pipe for an empty text, so it begins with a line. */
function openPipe(descriptor: number): readonly string[] {
  return [`exec ${descriptor}<<'PAWL'`, "", "PAWL", `read -r PAWL_LINE <&${descriptor}`];
}

function innerScript({ fileBytes, bridge, within }: Launch): string {
  return [
    `[ "$${WHOLE[0]}" = ${WHOLE[1]} ] || exit 125`,
    ...within,
    "ulimit -c 0",
    // Only where more is allowed: the first alone keeps what the program begins with.
    `ulimit -Hn ${OPEN_FILES} 2>/dev/null || ulimit -n ${OPEN_FILES} 2>/dev/null || true`,
    // The unit of a shell that is called sh is 512 bytes.
    ...(fileBytes === null ? [] : [`ulimit -f ${Math.ceil(fileBytes / 512)}`]),
    ...(bridge === null ? [] : bridgeScript(bridge)),
    "printf . >&3",
    "read -r PAWL_LINE <&3 || exit 125",
    `unset ${WHOLE[0]} PAWL_LINE`,
    'exec "$@" 3>&-',
  ].join("\n");
}

/** Opening a pipe by name waits for the other side; when the bridge cannot begin, reading ends without a line. */
function bridgeScript({ node, ways }: NonNullable<Launch["bridge"]>): readonly string[] {
  return [
    `mkfifo -m 600 ${BRIDGE_SIGNAL} || exit 125`,
    `env -i ${quoted(node)} --max-old-space-size=64 -e ${quoted(bridgeProgram(ways))} 3>&- 4>${BRIDGE_SIGNAL} >/dev/null 2>&1 &`,
    `read -r PAWL_LINE <${BRIDGE_SIGNAL} || { echo "the bridge to the network did not start" >&2; exit 125; }`,
  ];
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const LETTERS: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const letter = String.fromCharCode(byte);
  return /[A-Za-z0-9_./:=-]/.test(letter) ? letter : `\\${byte.toString(8).padStart(3, "0")}`;
});

/** As the format of a printf that writes exactly these bytes. */
function escaped(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += LETTERS[byte];
  return text;
}

/** Between characters of any kind: the pieces are put together again before they are read. */
function chunksOf(text: string): readonly string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += CHUNK) chunks.push(text.slice(at, at + CHUNK));
  return chunks;
}
