/** A git that is killed at one of its system calls, together with whoever has started it: what is left when a machine goes down. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Point {
  /** What git is told to do, such as `read-tree`; `vault-update-ref`: in the vault. */
  readonly verb: string;
  /** Which git of those that do this: the first is 1. */
  readonly nth: number;
  readonly call: string;
  readonly when: number;
}

export interface GitKiller {
  /** To be put before the others in PATH. */
  readonly bin: string;
  /** Kills at none, and notes what could be killed. */
  watch(): void;
  killAt(point: Point): void;
  /** That git begins late, and says so in a file `late`. */
  delay(point: Pick<Point, "verb" | "nth">): void;
  /** What was noted. */
  points(): readonly Point[];
}

const CALLS = ["openat", "write", "rename", "unlink", "mkdir", "link", "symlink", "rmdir", "chmod"];

export function createGitKiller(dir: string, git: string): GitKiller {
  const at = (name: string): string => join(dir, name);
  mkdirSync(at("bin"), { recursive: true });
  mkdirSync(at("notes"), { recursive: true });
  const lines = [
    "#!/bin/sh",
    'place=""; verb=""; skip=""',
    "for word; do",
    '  if [ -n "$skip" ]; then skip=""; continue; fi',
    '  case "$word" in',
    "    -c | -C) skip=1 ;;",
    "    --git-dir=*) place=vault- ;;",
    '    *) verb="$place$word"; break ;;',
    "  esac",
    "done",
    `count=${at("count")}.$verb; n=0; [ -e "$count" ] && read -r n < "$count"; n=$((n + 1)); echo $n > "$count"`,
    `read -r which nth call when < ${at("plan")}`,
    'if [ "$which" = watch ]; then',
    `  exec strace -f -b execve -qq -o ${at("notes")}/$verb.$n -e trace=${CALLS.join(",")} ${git} "$@"`,
    "fi",
    `if [ "$verb" != "$which" ] || [ "$n" != "$nth" ]; then exec ${git} "$@"; fi`,
    `if [ "$call" = late ]; then : > ${at("late")}; sleep 3; exec ${git} "$@"; fi`,
    // Without -f: what git itself starts lives on, and reads the end of its input.
    `strace -qq -o /dev/null -e trace=$call -e inject=$call:signal=SIGKILL:when=$when ${git} "$@"`,
    "code=$?",
    'if [ "$code" = 137 ]; then kill -9 $PPID; fi',
    "exit $code",
  ];
  writeFileSync(join(at("bin"), "git"), `${lines.join("\n")}\n`, { mode: 0o755 });
  const begin = (...words: readonly (string | number)[]): void => writeFileSync(at("plan"), `${words.join(" ")}\n`);
  return {
    bin: at("bin"),
    watch: () => begin("watch"),
    killAt: ({ verb, nth, call, when }) => begin(verb, nth, call, when),
    delay: ({ verb, nth }) => begin(verb, nth, "late"),
    points: () =>
      readdirSync(at("notes")).flatMap((name) => {
        const [verb = "", nth = ""] = name.split(".");
        return callsOf(join(at("notes"), name)).map((point) => ({ verb, nth: Number(nth), ...point }));
      }),
  };
}

/** What changes a file, in the first process of the trace: its n-th call of that name. */
function callsOf(trace: string): readonly Pick<Point, "call" | "when">[] {
  const seen = new Map<string, number>();
  const found: Pick<Point, "call" | "when">[] = [];
  const lines = readFileSync(trace, "utf8").split("\n").filter(Boolean);
  const first = lines[0]?.split(/\s/)[0];
  for (const line of lines) {
    const [, thread, call = "", rest = ""] = /^(\d+)\s+([a-z]+)\((.*)$/.exec(line) ?? [];
    if (thread !== first || !CALLS.includes(call)) continue;
    const when = (seen.get(call) ?? 0) + 1;
    seen.set(call, when);
    const isRead = call === "openat" && !rest.includes("O_CREAT");
    const isTold = call === "write" && /^[12],/.test(rest);
    if (!isRead && !isTold) found.push({ call, when });
  }
  return found;
}
