/** git starts programs by its configuration, by aliases and by options. Only known commands with known options are git's own work. */
import { opaque, PLAIN, type Tool } from "./options.ts";

const BEFORE = new Set(
  "--no-pager --version --no-optional-locks --no-replace-objects --no-lazy-fetch --literal-pathspecs".split(" "),
);
const COMMANDS = new Set(
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
  config: /./,
  "hash-object": /[w]/,
  fetch: /[u]/,
  add: /[pie]/,
};
const READS_CONFIG = /^(--get|--get-all|--get-regexp|--list|get|list)$/;

export const git: Tool = (args) => {
  const at = args.findIndex((arg) => arg === null || !BEFORE.has(arg));
  const command = args[at];
  if (at < 0 || command === undefined) return PLAIN;
  if (command === null || command.startsWith("-")) return opaque("git: options before its command may start programs");
  if (!COMMANDS.has(command)) return opaque(`git: ${command.slice(0, 40)} may be an alias or another program`);
  const rest = args.slice(at + 1);
  if (rest.includes(null)) return opaque("git: an argument that may be an option is not known");
  const why = problemOf(command, rest as readonly string[]);
  return why === undefined ? PLAIN : opaque(`git ${command}: ${why}`);
};

function problemOf(command: string, args: readonly string[]): string | undefined {
  const first = args.find((arg) => !/^--(local|global|system)$/.test(arg)) ?? "";
  if (command === "config" && !READS_CONFIG.test(first)) return "settings may name programs";
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  return own.map((arg) => problemOfArgument(command, arg)).find((why) => why !== undefined);
}

function problemOfArgument(command: string, arg: string): string | undefined {
  if (/^\w+::/.test(arg)) return "its remote is a program";
  if (arg.startsWith("--"))
    return isSafeLong(arg) ? undefined : `nobody has said what its option ${arg.split("=", 1)[0]} does`;
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
