/** Tools that look at files or move them about, and have an option that starts a program or writes where nobody looks. */
import type { Argv } from "../facts.ts";
import { careful, guessed, opaque, PLAIN, starts, type Tool } from "./options.ts";

const remote = (rest: Argv): string | undefined =>
  rest.some((arg) => arg?.includes(":")) ? "it starts a program on another machine" : undefined;

const TAR_LONG =
  `create extract get list file= gzip gunzip bzip2 xz zstd verbose directory= exclude= strip-components= auto-compress append
 update diff compare keep-old-files no-same-owner no-same-permissions preserve-permissions touch wildcards no-recursion one-file-system
 dereference totals version help exclude-vcs exclude-from= files-from= transform= null to-stdout`.replaceAll(
    /\s+/g,
    " ",
  );
const TAR_ACTS =
  "F I to-command use-compress-program checkpoint-action rsh-command rmt-command info-script new-volume-script index-file";
const tarOptions: Tool = careful(
  { short: "cxtzjJvf:C:akprumhOX:T:", long: TAR_LONG, acts: TAR_ACTS },
  (_rest, given) => {
    const archive = given.get("-f") ?? given.get("--file");
    return archive?.includes(":") ? "it starts a program on another machine" : undefined;
  },
);

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
const fdSearch = careful({ short: "HIgFisaLpd:t:e:E:S:c:0u1lh", long: FD_LONG, acts: "x X exec exec-batch" });

/** `fd … --exec COMMAND`: what was found takes the place of `{}`, or stands at the end. */
const fd: Tool = (args, name) => {
  const at = args.findIndex((arg) => /^(-x|-X|--exec|--exec-batch)$/.test(arg ?? ""));
  const end = args.indexOf(";", at);
  const [program, ...rest] = at < 0 ? [] : args.slice(at + 1, end < 0 ? undefined : end);
  const search = at < 0 ? args : [...args.slice(0, at), ...(end < 0 ? [] : args.slice(end + 1))];
  const found = fdSearch(search, name);
  if (program === undefined || program === null || program.includes("{") || found.kind === "opaque")
    return found.kind === "opaque" || at < 0 ? found : guessed(`${name}: which program runs is not known`, args);
  const isPlaced = rest.some((arg) => arg?.includes("{"));
  const filled = rest.map((arg) => (arg?.includes("{") ? null : arg));
  return starts([program, ...filled, ...(isPlaced ? [] : [null])]);
};

/** These write what they are given second. */
const writesSecond: Tool = careful(
  {
    short: "cdDuizf:s:w:",
    long: "count repeated unique ignore-case zero-terminated skip-fields= skip-chars= check-chars= version help",
  },
  (rest) => (rest.length > 1 || rest.includes(null) ? "its second file is written" : undefined),
);

const SHOWS_CERTIFICATE =
  /^(noout|text|subject|issuer|dates|startdate|enddate|serial|fingerprint|sha256|pubkey|modulus|purpose|in)$/;

/** Only what shows a certificate is its own work; its other commands sign, start engines and read settings that name them. */
const openssl: Tool = ([command, ...rest], name, input) => {
  const shows = rest.every((arg) => arg !== null && (!arg.startsWith("-") || SHOWS_CERTIFICATE.test(arg.slice(1))));
  return command === "x509" && shows
    ? PLAIN
    : guessed(`${name}: it starts or changes other programs`, [command ?? null, ...rest], input, "program");
};

export const FILES: Readonly<Record<string, Tool>> = {
  tar,
  gtar: tar,
  bsdtar: tar,
  rsync: careful(
    {
      short: "avrnzhPcultpgoDiqx",
      long: RSYNC_LONG,
      acts: "e M rsh rsync-path remote-option password-command daemon log-file write-batch only-write-batch",
    },
    remote,
  ),
  scp: careful({ short: "rpqvC", acts: "S o F J D" }, remote),
  zip: careful({
    short: "rqjyvul0123456789x:",
    acts: "T O b TT test unzip-command output-file temp-path logfile-path lf",
  }),
  sort: careful({ short: "rnhufVgMRdibcCszmk:t:S:", long: SORT_LONG, acts: "o compress-program output" }),
  rg: careful({
    short: "lcniSswFUHhoIvPqLuNpaxz0.g:t:T:A:B:C:m:e:r:d:j:M:".replace("z", ""),
    long: RG_LONG,
    acts: "z pre hostname-bin search-zip",
  }),
  fd,
  fdfind: fd,
  uniq: writesSecond,
  date: careful({
    short: "uRI::d:r:",
    long: "utc iso-8601=? date= rfc-3339= rfc-email reference= version help",
    acts: "s set",
  }),
  tree: careful({
    short: "adfsLI:P:hpugDFCJnNqrtU".replace("L", "L:"),
    long: "gitignore dirsfirst prune noreport version help",
    acts: "o R output",
  }),
  jq: () => PLAIN,
  openssl,
};
