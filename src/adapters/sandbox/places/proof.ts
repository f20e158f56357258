/**
 * Lines of shell around a wall. Before it: pipes are made where files will be shown. Behind it, before the program: is
 * what is mounted what was looked at? Between the look and the mount a foreign process could have put something else in
 * its place; then the program does not begin.
 */
import { existsSync } from "node:fs";
import { quoted } from "../launcher.ts";
import type { Layer } from "../wall.ts";
import { isWithin } from "../within.ts";

/** On this machine. A pipe that stands there already was made for another wall, or by a host that was killed. */
export function makePipes(pipes: readonly string[]): readonly string[] {
  if (pipes.length === 0) return [];
  const names = pipes.map(quoted);
  return [
    `${programAt("mkfifo")} -m 000 -- ${names.join(" ")} 2>/dev/null`,
    ...names.map((name) => `[ -p ${name} ] || { printf 'a place for %s cannot be made\\n' ${name} >&2; exit 125; }`),
  ];
}

/** Behind the wall. Ends the script when something is not as it was seen. */
export function proveLayers(layers: readonly Layer[]): readonly string[] {
  const seen = layers.filter((layer, index) => !layers.slice(index + 1).some(({ to }) => isWithin([to], layer.to)));
  const known = seen.flatMap((layer) => (layer.kind === "empty" ? [] : [layer]));
  if (seen.length === 0) return [];
  return [
    `exchanged() { printf '%s was exchanged by another process while the sandbox was built\\n' "$1" >&2; exit 125; }`,
    "PAWL_LINE='\n'",
    ...(known.length === 0 ? [] : [`PAWL_SEEN=$PAWL_LINE$(${statCommand(known.map(({ to }) => to))})$PAWL_LINE`]),
    ...known.map(({ to, id }) => {
      const line = `*"$PAWL_LINE"${quoted(`${id} ${to}`)}"$PAWL_LINE"*`;
      return `case $PAWL_SEEN in ${line}) ;; *) exchanged ${quoted(to)} ;; esac`;
    }),
    ...seen.flatMap((layer) => sealProof(layer)),
    "unset PAWL_SEEN",
  ];
}

/** What is neither file nor folder (a socket) counts as writable also where nothing can be written. */
function sealProof(layer: Layer): readonly string[] {
  if (layer.kind === "write") return [];
  const to = quoted(layer.to);
  const isPlain = layer.kind === "empty" ? `[ -d ${to} ]` : `{ [ -d ${to} ] || [ -f ${to} ]; }`;
  const isShut = `[ ! -L ${to} ] && [ ! -w ${to} ]`;
  return [
    layer.kind === "empty"
      ? `${isPlain} && ${isShut} || exchanged ${to}`
      : `! ${isPlain} || { ${isShut}; } || exchanged ${to}`,
  ];
}

function statCommand(paths: readonly string[]): string {
  return `${programAt("stat")} -c '%d:%i %n' -- ${paths.map(quoted).join(" ")} 2>/dev/null`;
}

/** The system's own wherever PATH may lead; it is shown at the same place behind the wall. */
function programAt(name: string): string {
  return [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path)) ?? name;
}
