/** git starts programs by its configuration, by aliases and by options. Only known commands with known options are git's own work. */
import type { Argv, Unwrapped } from "../facts.ts";
import { type BeforeTable, beforeCommand } from "./before.ts";
import { guessed, isOwnWork, opaque, ownWork, PLAIN, reads, type Tool } from "./options.ts";

/** Options before the command. `-C` may lead to another repository, whose settings may name programs. */
const BEFORE: BeforeTable = {
  harmless: new Set(
    "--no-pager -P -h -v --version --help --no-optional-locks --no-replace-objects --no-lazy-fetch --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs".split(
      " ",
    ),
  ),
  inside: new Set(["-C"]),
  valued: new Set([
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--attr-source",
    "--super-prefix",
    "--list-cmds",
    "--shallow-file",
  ]),
};
/** Settings of one call that name no program, and nothing that is read as one. */
const HARMLESS_SETTING =
  /^(user\.(name|email)|color\.[\w.]+|advice\.\w+|init\.defaultbranch|core\.(quotepath|autocrlf|safecrlf|filemode|abbrev|ignorecase|precomposeunicode|longpaths)|commit\.gpgsign|tag\.gpgsign|log\.\w+|diff\.(renames|noprefix|mnemonicprefix|renamelimit|algorithm|context)|merge\.conflictstyle|pull\.(rebase|ff)|push\.(default|autosetupremote)|rebase\.(autostash|autosquash)|status\.\w+|column\.ui|gc\.auto|fetch\.prune|http\.postbuffer|protocol\.version|maintenance\.auto|rerere\.enabled)$/i;
export const GIT_COMMANDS: ReadonlySet<string> = new Set(
  `status log diff show add commit branch checkout switch restore reset stash tag merge fetch pull push clone init rm mv rev-parse rev-list
   describe blame shortlog reflog ls-files ls-tree ls-remote cat-file grep cherry-pick revert rebase clean remote worktree format-patch apply
   am diff-tree diff-index diff-files merge-base name-rev count-objects fsck gc prune show-ref symbolic-ref for-each-ref var check-ignore
   check-attr archive bundle notes range-diff cherry whatchanged hash-object write-tree sparse-checkout rerere verify-commit verify-tag
   version update-index update-ref config`.split(/\s+/),
);
const SAFE_LONG = new Set(
  `oneline graph all stat shortstat numstat dirstat name-only name-status patch no-patch cached staged porcelain short branch long verbose quiet
   color no-color decorate no-decorate abbrev-commit no-abbrev abbrev max-count skip since until after before author committer grep all-match
   invert-grep no-merges merges first-parent reverse follow date format pretty summary word-diff word-diff-regex unified raw diff-filter
   find-renames find-copies ignore-space-change ignore-all-space ignore-blank-lines ignore-space-at-eol ignore-cr-at-eol minimal patience
   histogram diff-algorithm check full-index binary exit-code merge-base no-index no-ext-diff no-textconv no-renames relative text
   message amend no-edit no-verify signoff no-signoff allow-empty allow-empty-message dry-run author date fixup squash reset-author only
   include force update intent-to-add renormalize refresh ignore-errors ignore-missing list delete move copy contains no-contains merged
   no-merged points-at sort track no-track set-upstream-to unset-upstream show-current create detach orphan ours theirs conflict
   source worktree soft mixed hard keep merge pathspec-from-file include-untracked keep-index index annotate ff ff-only no-ff squash
   no-squash commit no-commit abort continue quit skip strategy strategy-option allow-unrelated-histories stat no-stat rebase no-rebase
   autostash no-autostash prune prune-tags tags no-tags depth deepen shallow-since unshallow jobs set-upstream force-with-lease
   force-if-includes atomic follow-tags mirror single-branch no-single-branch bare recurse-submodules no-recurse-submodules shallow-submodules
   initial-branch show-toplevel git-dir is-inside-work-tree is-bare-repository show-prefix show-cdup abbrev-ref verify symbolic
   symbolic-full-name git-path absolute-git-dir others exclude-standard modified deleted stage unmerged full-name error-unmatch ignored
   untracked-files ignore-submodules always tags dirty match exclude exact-match candidates heads get-url refs symref count line-number
   files-with-matches files-without-match ignore-case word-regexp extended-regexp fixed-strings perl-regexp invert-match and or not context
   after-context before-context show-function function-context untracked no-exclude-standard break heading root-follow get get-all
   get-regexp show-origin show-scope name-only local global system mainline no-gpg-sign onto root keep-base rebase-merges no-rebase-merges
   reapply-cherry-picks committer-date-is-author-date left-right left-only right-only cherry-pick cherry-mark boundary simplify-by-decoration
   show-signature topo-order date-order author-date-order email numbered summary end-of-options independent is-ancestor octopus fork-point
   cover-letter stdout numbered-files subject-prefix batch batch-check aggressive auto no-auto lost-found 3way reverse directory
   ahead-behind no-ahead-behind find-object pickaxe-all pickaxe-regex null root`.split(/\s+/),
);
/** Short options that name a program, a file to write or a setting. */
const UNSAFE_SHORT: Readonly<Record<string, RegExp>> = {
  grep: /[O]/,
  clone: /[uc]/,
  rebase: /[xi]/,
  archive: /[o]/,
  "format-patch": /[o]/,
  commit: /[FtceS]/,
  am: /[S]/,
  tag: /[Feusv]/,
  notes: /[Fec]/,
  config: /[^lz]/,
  "hash-object": /[w]/,
  fetch: /[u]/,
  add: /[pie]/,
};
/** Every long option that names a program or a file of settings, writes where nobody looks, or waits for a person. */
const ACTS = `exec upload-pack receive-pack ext-diff textconv filters open-files-in-pager output output-directory template config config-env
  separate-git-dir gpg-sign sign edit edit-description interactive patch tool tool-help extcmd editor exec-path git-dir work-tree show-signature`;
/** Its own work that the everyday rules leave out, and the words behind a command that make it start others. */
const OWN_COMMANDS = new Set(
  "annotate show-branch verify-pack patch-id stripspace merge-tree pack-refs mktree help maintenance bisect submodule lfs".split(
    " ",
  ),
);
const STARTS_OTHERS = /^(run|visualize|view|foreach|start|register|install|custom-transfer-agent|update)$/;
const READS_CONFIG = /^(--get|--get-all|--get-regexp|--list|-l|get|list)$/;

/** Commands that start the program behind one of their words. */
const STARTERS = new Map([
  ["submodule", (args: Argv) => textBehind(args, "foreach")],
  ["bisect", (args: Argv) => textBehind(args, "run")],
]);

export const git: Tool = (args, name) => {
  const before = beforeCommand(BEFORE, args);
  if (before === undefined) return guessed("git: options before its command may start programs", args);
  const { given, rest } = before;
  if (rest.length === 0)
    return given.every(([option]) => BEFORE.harmless.has(option))
      ? PLAIN
      : guessed(`${name}: options before its command may start programs`, args);
  if (given.length === 0) return command(rest as readonly [string, ...Argv]);
  const settings = given.filter(([option]) => option === "-c").map(([, value]) => value);
  const alias = aliasOf(settings, rest);
  if (alias !== undefined) return alias;
  const isPlain = given.every(([option, value]) => isKnown(option, value));
  const spelled: Argv = ["git", ...rest];
  if (!isPlain) return opaque("git: options before its command may start programs", [spelled], textsIn(settings));
  const isHarmless = given.every(([option]) => option !== "-C");
  return { kind: "respelled", spellings: [spelled], isHarmless };
};

function isKnown(option: string, value: string): boolean {
  if (option === "-C") return !/^([/~]|.*(^|\/)\.\.(\/|$))/.test(value);
  return BEFORE.harmless.has(option) || (option === "-c" && HARMLESS_SETTING.test(value.split("=", 1)[0] as string));
}

/** `-c core.pager='git push'` and its like: what a setting holds may be a command. */
function textsIn(settings: readonly string[]): readonly string[] {
  return settings.map((setting) => setting.slice(setting.indexOf("=") + 1).replace(/^!/, ""));
}

/** `-c alias.x='!git push' x` runs the text, `-c alias.x=push x` the command. */
function aliasOf(settings: readonly string[], [called, ...rest]: Argv): Unwrapped | undefined {
  const marks = settings.map((setting) => /^alias\.([^=.]+(?:\.command)?)=(.*)$/is.exec(setting));
  const text = marks
    .filter((found) => found?.[1]?.toLowerCase().replace(/\.command$/, "") === called?.toLowerCase())
    .at(-1)?.[2];
  if (text === undefined || typeof called !== "string" || GIT_COMMANDS.has(called)) return undefined;
  const args = rest.map((arg) => (arg === null ? '"$x"' : `'${arg.replaceAll("'", "'\\''")}'`)).join(" ");
  return reads(text.startsWith("!") ? `${text.slice(1)} ${args}` : `git ${text} ${args}`);
}

/** What stands where the command is expected. */
function command([name, ...rest]: readonly [string, ...Argv]): Unwrapped {
  if (!GIT_COMMANDS.has(name)) {
    const texts = STARTERS.get(name)?.(rest) ?? [];
    const why = `git: ${name.slice(0, 40)} may be an alias or another program`;
    const found = isOwnCommand(name, rest) ? ownWork(why, rest) : guessed(why, rest);
    return { ...found, texts: [...found.texts, ...texts] };
  }
  if (rest.includes(null)) return guessed("git: an argument that may be an option is not known", rest);
  const why = problemOf(name, rest as readonly string[]);
  if (why === undefined) return PLAIN;
  return why.startsWith(UNDESCRIBED) && isOwnWork({ acts: ACTS }, rest)
    ? ownWork(`git ${name}: ${why}`, rest)
    : guessed(`git ${name}: ${why}`, rest);
}

function isOwnCommand(name: string, args: Argv): boolean {
  if (!OWN_COMMANDS.has(name) || !isOwnWork({ acts: ACTS }, args)) return false;
  return (
    name === "maintenance" ||
    !args.some((arg) => STARTS_OTHERS.test(String(arg)) && `${name} ${arg}` !== "bisect start")
  );
}

function textBehind(args: Argv, word: string): readonly string[] {
  const at = args.indexOf(word);
  const rest = at < 0 ? [] : args.slice(at + 1).filter((arg) => arg !== null && !/^--(recursive|quiet)$/.test(arg));
  return rest.length === 0 ? [] : [rest.join(" ")];
}

const UNDESCRIBED = "nobody has said what its option";

function problemOf(command: string, args: readonly string[]): string | undefined {
  const first =
    args.find((arg) => !/^--(local|global|system|worktree|show-origin|show-scope|name-only|null)$/.test(arg)) ?? "";
  if (command === "config" && !READS_CONFIG.test(first) && !isOneSetting(args)) return "settings may name programs";
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  return own.map((arg) => problemOfArgument(command, arg)).find((why) => why !== undefined);
}

/** `git config user.name` shows it, `git config user.name x` sets it. */
function isOneSetting(args: readonly string[]): boolean {
  const names = args.filter((arg) => !/^--(show-origin|show-scope|global|local|system)$/.test(arg));
  return names.length === 1 && /^[a-z][\w-]*\.[\w.-]+$/i.test(names[0] as string);
}

function problemOfArgument(command: string, arg: string): string | undefined {
  if (/^\w+::/.test(arg)) return "its remote is a program";
  if (arg.startsWith("--")) return isSafeLong(arg) ? undefined : `${UNDESCRIBED} ${arg.split("=", 1)[0]} does`;
  const letters = arg.startsWith("-") ? arg.slice(1, endOfLetters(command, arg)) : "";
  return UNSAFE_SHORT[command]?.test(letters) ? `its option ${arg.slice(0, 2)} is not plain` : undefined;
}

function isSafeLong(arg: string): boolean {
  return SAFE_LONG.has(arg.slice(2).split("=", 1)[0] as string);
}

/** Where `-m` takes a message, the letters behind it are no options. */
function endOfLetters(command: string, arg: string): number {
  const at = /^(commit|tag|merge|notes)$/.test(command) ? arg.indexOf("m") : -1;
  return at < 0 ? arg.length : at;
}
