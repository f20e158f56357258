/** Runs many shell texts in real shells, with programs that only write down how they were started. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const SHELLS: readonly string[] = ["/bin/sh", "/bin/bash"];
export const HOME = "/nowhere/home";

const END = "\u0001end";
/** One write for each start: several at a time do not mix. `b` fails, so that loops end. */
const SHIM = `#!/bin/sh
printf '%s\\0' "\${0##*/}" "$@" '${END}' >>"$SHIM_LOG"
[ "\${0##*/}" != b ]
`;
/** Every text has a folder of its own, so that nothing it writes meets another. */
const DRIVER = `i=0
while [ "$i" -lt "$2" ]; do
  mkdir -p "$3/own.$i" && cd "$3/own.$i" &&
  SHIM_LOG="$3/log.$i" HOME=${HOME} PATH="$3/bin" /usr/bin/timeout -s KILL 1 "$1" "$3/text.$i" </dev/null >/dev/null 2>&1
  i=$((i+1))
done
`;

/** One process for all texts, each in a subshell, with `shim` as a function: many a second, for texts that write nothing. */
const QUICK = `shim() { printf '%s\\0' shim "$@" '${END}' >>"$SHIM_LOG"; }
cd "$2/bin" && HOME=${HOME} PATH= i=0
while [ "$i" -lt "$1" ]; do
  SHIM_LOG="$2/log.$i"
  ( set --; . "$SHIM_FOLDER/text.$i" ) </dev/null >/dev/null 2>&1
  i=$((i+1))
done
`;

export function executeQuickly(folder: string, shell: string, texts: readonly string[]): string[][][] {
  write(folder, texts, []);
  const options = { stdio: "ignore", env: { SHIM_FOLDER: folder } } as const;
  spawnSync(shell, ["-c", QUICK, "driver", String(texts.length), folder], options);
  return texts.map((_text, index) => started(join(folder, `log.${index}`)));
}

/** For each text the argument lists that were executed, the name of the program first. */
export function execute(
  folder: string,
  shell: string,
  texts: readonly string[],
  programs: readonly string[],
): string[][][] {
  write(folder, texts, programs);
  spawnSync("/bin/sh", ["-c", DRIVER, "driver", shell, String(texts.length), folder], { stdio: "ignore" });
  return texts.map((_text, index) => started(join(folder, `log.${index}`)));
}

function write(folder: string, texts: readonly string[], programs: readonly string[]): void {
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const program of programs) {
    writeFileSync(join(folder, "bin", program), SHIM);
    chmodSync(join(folder, "bin", program), 0o755);
  }
  texts.forEach((text, index) => {
    writeFileSync(join(folder, `text.${index}`), text);
  });
}

function started(log: string): string[][] {
  if (!existsSync(log)) return [];
  const records: string[][] = [[]];
  for (const word of readFileSync(log, "utf8").split("\0").slice(0, -1)) {
    if (word === END) records.push([]);
    else records.at(-1)?.push(word);
  }
  // Both ends of a pipe run at once: their order says nothing.
  return records.slice(0, -1).sort((a, b) => (a.join("\0") < b.join("\0") ? -1 : 1));
}
