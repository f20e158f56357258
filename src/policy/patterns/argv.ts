/** Argument lists. An unknown argument (null) stands for one or more. */
import { compileSome, normalisePath } from "../../base/match/glob.ts";
import { type Asked, hasOneSpelling, hasUnknown, type Mode, otherSpellings, placesOf, rooted } from "../asked.ts";
import type { RequestOf } from "../request.ts";
import type { Argv } from "../shell/facts.ts";
import { compileText } from "./text.ts";

type RunPattern = { readonly run: readonly string[]; readonly args?: readonly string[] };

export function compileRun({ run, args }: RunPattern, mode: Mode): (asked: Asked) => boolean {
  const covers = compileArguments(run, mode);
  if (args === undefined) return covers;
  const leads = compileSome(args.map(rooted));
  return (asked) => covers(asked) && ((!asked.isVouched && hasUnknown(asked.request)) || placesOf(asked).some(leads));
}

function compileArguments(patterns: readonly string[], mode: Mode): (asked: Asked) => boolean {
  const isOpen = patterns.at(-1) === "**";
  const tests = (isOpen ? patterns.slice(0, -1) : patterns).map(compileText);
  const [program, ...rest] = tests;
  // A rule that denies a program denies it under every path and, as other systems read names, in letters of either case.
  const first =
    program === undefined || mode === "must"
      ? program
      : (name: string) => program(name) || (!isPlainName(name) && (program(baseOf(name)) || program(plainName(name))));
  const all = first === undefined ? [] : [first, ...rest];
  const places = mode === "must" ? patterns.flatMap((pattern, at) => (/[^*]\*|\*[^*]/.test(pattern) ? [at] : [])) : [];
  return (asked) => {
    const { argv: written, folders } = asked.request as RequestOf<"run">;
    const argv = mode === "may" && !hasOneSpelling(asked) ? resolved(all, written, folders) : written;
    const known = argv.indexOf(null);
    if (known >= 0 && mode === "may") return mayCover(all, isOpen, argv, known);
    if (!reaches(all.length, isOpen, argv, known) || !heads(all, argv)) return false;
    return places.length === 0 || hasOneSpelling(asked) || places.every((at) => all[at]?.(withoutParents(argv[at])));
  };
}

/** As many arguments as the rule has patterns, all of them known; an open rule leaves the rest to itself. */
function reaches(wanted: number, isOpen: boolean, argv: Argv, known: number): boolean {
  return isOpen ? wanted <= (known < 0 ? argv.length : known) : known < 0 && argv.length === wanted;
}

const PARENT = /(?:^|\/)\.\.(?:\/|$)/;

/** What a wildcard of a rule that allows covers does not lead elsewhere: `src/../x` is no path below `src/`. */
function withoutParents(argument: string | null | undefined): string {
  const written = argument as string;
  return PARENT.test(written) ? normalisePath(written) : written;
}

/** Each argument in the spelling that the rule is about, where it has one: as written, or as the path that it is. */
function resolved(tests: readonly ((text: string) => boolean)[], argv: Argv, folders: Folders): Argv {
  if (tests.length < 2 || !tests[0]?.(argv[0] as string)) return argv;
  const spelled = (arg: string | null, at: number): string | null => {
    const test = at === 0 ? undefined : tests[at];
    if (arg === null || test === undefined || test(arg)) return arg;
    return otherSpellings(arg, folders).find(test) ?? arg;
  };
  return argv.some((arg, at) => spelled(arg, at) !== arg) ? argv.map(spelled) : argv;
}

type Folders = readonly string[] | undefined;

/** Only what stands before the unknown argument can speak against it. */
function mayCover(tests: readonly ((text: string) => boolean)[], isOpen: boolean, argv: Argv, known: number): boolean {
  return (isOpen || argv.length <= tests.length) && heads(tests.slice(0, known), argv);
}

function heads(tests: readonly ((text: string) => boolean)[], argv: Argv): boolean {
  for (let at = 0; at < tests.length; at += 1) if (!tests[at]?.(argv[at] as string)) return false;
  return true;
}

export function baseOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** Most names: looked at before anything is made of them, because every decision comes here. */
export function isPlainName(program: string): boolean {
  return /^[a-z\d_-]*$/.test(program);
}

/** The name of a program as other systems may read it: `C:\\x\\Git.EXE` is git. */
export function plainName(program: string): string {
  if (isPlainName(program)) return program;
  return program
    .slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");
}

/** How many arguments at the beginning are written out; Infinity: all of them. */
export function fixedLength({ run }: RunPattern): number {
  const at = run.findIndex((argument) => argument.includes("*"));
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}
