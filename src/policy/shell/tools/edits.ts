/** Files that programs write, replace or remove, as far as their arguments name them. Rules that ask or deny about `edit` look at them. */
import { plainName } from "../../patterns/argv.ts";
import type { Argv } from "../facts.ts";
import { NO_FILE } from "../reading/redirects.ts";

type Edits = (operands: readonly string[], args: readonly string[]) => readonly string[];

const SETS_TARGET = /^(?:--target-directory=|-t)(.+)$/s;
/** `-o FILE`, `--output=FILE` and their like, which mean the same to most programs. */
const OUTPUT = /^(?:-o|-O|-out|--out|--output|--output-file|--output-document|--outfile|--log-file)$/;
const OUTPUT_ATTACHED =
  /^(?:--out|--output|--output-file|--output-document|--outfile|--log-file|of)=(.+)$|^-[oO]([^-].*)$/s;
/** Programs that change the files they are given only if they are told so. */
const IN_PLACE = /^(?:--in-place(?:=.*)?|--write|--fix|--inplace|--overwrite|-[a-zA-Z]*i[^=/]*|-w)$/s;
const CHANGES_IN_PLACE: ReadonlySet<string> = new Set(
  "sed gsed ssed perl ruby awk gawk mawk yq prettier eslint biome ruff black gofmt goimports rustfmt shfmt clang-format stylelint autopep8 isort".split(
    " ",
  ),
);

const baseOf = (path: string): string => path.replace(/\/+$/, "").replace(/^.*\//s, "");

/** Copies go to the last operand, or below it, or below the folder that an option names. */
function destinations(operands: readonly string[], args: readonly string[]): readonly string[] {
  const named = args.flatMap((arg, at) =>
    /^(?:-t|--target-directory)$/.test(arg) ? [args[at + 1] ?? "."] : (SETS_TARGET.exec(arg)?.[1] ?? []),
  );
  const folders = named.length > 0 ? named : operands.length > 1 ? operands.slice(-1) : ["."];
  return folders.flatMap((folder) => [folder, ...operands.map((from) => `${folder}/${baseOf(from)}`)]);
}

const all: Edits = (operands) => operands;
const copies: Edits = destinations;
const moves: Edits = (operands, args) => [...operands, ...destinations(operands, args)];
const last: Edits = (operands) => operands.slice(1);
/** What an archive holds is not known; its members, and where they go, may be named. */
const unpacks: Edits = (operands, args) => {
  const folders = args.flatMap((arg, at) =>
    /^(?:-C|-d|--directory)$/.test(arg) ? [args[at + 1] ?? "."] : (/^--directory=(.+)$/s.exec(arg)?.[1] ?? []),
  );
  return [...folders, ...operands, ...folders.flatMap((folder) => operands.map((member) => `${folder}/${member}`))];
};
const GIT_EDITS = /^(?:checkout|restore|rm|mv|clean|apply|reset|update-index|checkout-index|read-tree|am)$/;

const named = (edits: Edits, names: string): readonly [string, Edits][] =>
  names.split(" ").map((name) => [name, edits]);

const EDITS: ReadonlyMap<string, Edits> = new Map([
  ...named(
    all,
    "rm rmdir unlink shred truncate touch mkdir mkfifo mknod tee chmod chown chgrp chattr setfacl sponge rename gzip gunzip bzip2 xz",
  ),
  ...named(all, "patch ed ex vi vim nvim nano emacs trash rimraf mktemp"),
  ...named(copies, "cp gcp install ginstall scp rsync ditto pax"),
  ...named(moves, "mv gmv ln gln link symlink"),
  ...named(unpacks, "tar gtar bsdtar unzip 7z 7za 7zz cpio"),
  ...named(last, "uniq xxd split csplit git"),
]);

const NONE: readonly string[] = [];
/** Their `-o` is no file that they write. */
const OTHER_OUTPUT: ReadonlySet<string> = new Set(
  "grep egrep fgrep zgrep rg ag ack ugrep ps pgrep ls ssh scp sftp mount sh bash zsh dash ksh find git python node".split(
    " ",
  ),
);

/** What is not known is left out. */
export function editedPaths([program, ...given]: Argv): readonly string[] {
  const name = plainName(program as string);
  // Looked at first, because every command comes here.
  const mayEdit = name === "git" ? GIT_EDITS.test(given[0] ?? "") : EDITS.has(name) || CHANGES_IN_PLACE.has(name);
  const isOutput = !OTHER_OUTPUT.has(name) && given.some(mayNameOutput);
  if (!mayEdit && !isOutput) return NONE;
  const args = given.filter((arg) => arg !== null);
  const operands = operandsOf(args);
  const outputs = isOutput ? outputsOf(args) : NONE;
  const isInPlace = CHANGES_IN_PLACE.has(name) && args.some((arg) => IN_PLACE.test(arg));
  const written = isInPlace ? operands : (EDITS.get(name)?.(operands, args) ?? []);
  return [...written, ...outputs].filter((path) => !NO_FILE.has(path));
}

function outputsOf(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    if (OUTPUT.test(arg)) return args[at + 1] ?? [];
    const [, long, short] = OUTPUT_ATTACHED.exec(arg) ?? [];
    return long ?? short ?? [];
  });
}

function mayNameOutput(arg: string | null): boolean {
  return arg !== null && /^(?:-{1,2}[oO]|of=|--log-file)/.test(arg);
}

function operandsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  return [...before.filter((arg) => !arg.startsWith("-") || arg === "-"), ...(end < 0 ? [] : args.slice(end + 1))];
}
