/** Tools that look at files or move them about, and have an option that starts a program or writes where nobody looks. */
import type { Argv } from "../facts.ts";
import { careful, opaque, PLAIN, type Tool } from "./options.ts";

const remote = (rest: Argv): string | undefined =>
  rest.some((arg) => arg?.includes(":")) ? "it starts a program on another machine" : undefined;

const TAR_LONG =
  `create extract get list file= gzip gunzip bzip2 xz zstd verbose directory= exclude= strip-components= auto-compress append
 update diff compare keep-old-files no-same-owner no-same-permissions preserve-permissions touch wildcards no-recursion one-file-system
 dereference totals version help exclude-vcs exclude-from= files-from= transform= null to-stdout`.replaceAll(
    /\s+/g,
    " ",
  );
const tarOptions: Tool = careful({ short: "cxtzjJvf:C:akprumhOX:T:", long: TAR_LONG }, (_rest, given) => {
  const archive = given.get("-f") ?? given.get("--file");
  return archive?.includes(":") ? "it starts a program on another machine" : undefined;
});

/** Letters without a dash are options as well; the values follow in their order. */
const tar: Tool = (args, name) => {
  const [first, ...rest] = args;
  if (typeof first !== "string" || first.startsWith("-")) return tarOptions(args, name);
  if (!/^[cxtzjJvakprumhO]*f?[cxtzjJvakprumhO]*$/.test(first))
    return opaque("tar: nobody has said what its options do");
  const flags = first.replace("f", "");
  const dashed = flags === "" ? [] : [`-${flags}`];
  return tarOptions(first.includes("f") ? [...dashed, "-f", ...rest] : [...dashed, ...rest], name);
};

const RSYNC_LONG =
  `archive verbose recursive dry-run delete exclude= include= progress stats human-readable checksum compress update links
 perms times itemize-changes ignore-existing existing size-only quiet partial version help filter= max-size= min-size=`.replaceAll(
    /\s+/g,
    " ",
  );

const SORT_LONG =
  `reverse numeric-sort human-numeric-sort unique key= field-separator= ignore-case version-sort general-numeric-sort month-sort
 random-sort dictionary-order ignore-leading-blanks check stable zero-terminated merge version help parallel= buffer-size=`.replaceAll(
    /\s+/g,
    " ",
  );

const RG_LONG =
  `files files-with-matches files-without-match count count-matches line-number no-line-number ignore-case smart-case case-sensitive
 word-regexp fixed-strings multiline multiline-dotall hidden no-ignore no-ignore-vcs glob= iglob= type= type-not= type-list after-context=
 before-context= context= max-count= max-depth= json color= heading no-heading with-filename no-filename only-matching replace= sort= sortr=
 stats invert-match pcre2 regexp= follow quiet null vimgrep column trim passthru version help pretty max-columns= max-filesize= text
 no-messages no-config unrestricted line-regexp debug threads= one-file-system`.replaceAll(/\s+/g, " ");

const FD_LONG =
  `hidden no-ignore glob regex fixed-strings ignore-case case-sensitive absolute-path follow full-path max-depth= min-depth= type=
 extension= exclude= size= changed-within= changed-before= color= print0 version help max-results= list-details`.replaceAll(
    /\s+/g,
    " ",
  );
const fd = careful({ short: "HIgFisaLpd:t:e:E:S:c:0u1lh", long: FD_LONG });

/** These write what they are given second. */
const writesSecond: Tool = careful(
  {
    short: "cdDuizf:s:w:",
    long: "count repeated unique ignore-case zero-terminated skip-fields= skip-chars= check-chars= version help",
  },
  (rest) => (rest.length > 1 || rest.includes(null) ? "its second file is written" : undefined),
);

export const FILES: Readonly<Record<string, Tool>> = {
  tar,
  gtar: tar,
  bsdtar: tar,
  rsync: careful({ short: "avrnzhPcultpgoDiqx", long: RSYNC_LONG }, remote),
  scp: careful({ short: "rpqvC" }, remote),
  zip: careful({ short: "rqjyvul0123456789x:" }),
  sort: careful({ short: "rnhufVgMRdibcCszmk:t:S:", long: SORT_LONG }),
  rg: careful({ short: "lcniSswFUHhoIvPqLuNpaxz0.g:t:T:A:B:C:m:e:r:d:j:M:".replace("z", ""), long: RG_LONG }),
  fd,
  fdfind: fd,
  uniq: writesSecond,
  date: careful({ short: "uRI::d:r:", long: "utc iso-8601=? date= rfc-3339= rfc-email reference= version help" }),
  tree: careful({
    short: "adfsLI:P:hpugDFCJnNqrtU".replace("L", "L:"),
    long: "gitignore dirsfirst prune noreport version help",
  }),
  jq: () => PLAIN,
};
