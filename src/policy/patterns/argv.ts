/** Argument lists. An unknown argument (null) stands for one or more. */
import { compileSome } from "../../base/match/glob.ts";
import { type Asked, type Mode, placesOf, rooted } from "../asked.ts";
import type { RequestOf } from "../request.ts";
import type { Argv } from "../shell/facts.ts";
import { compileText } from "./text.ts";

type RunPattern = { readonly run: readonly string[]; readonly args?: readonly string[] };

export function compileRun({ run, args }: RunPattern, mode: Mode): (asked: Asked) => boolean {
  const covers = compileArguments(run, mode);
  const argvOf = ({ request }: Asked): Argv => (request as RequestOf<"run">).argv;
  if (args === undefined) return (asked) => covers(argvOf(asked));
  const leads = compileSome(args.map(rooted));
  return (asked) =>
    covers(argvOf(asked)) && ((!asked.isVouched && argvOf(asked).includes(null)) || placesOf(asked).some(leads));
}

function compileArguments(patterns: readonly string[], mode: Mode): (argv: Argv) => boolean {
  const isOpen = patterns.at(-1) === "**";
  const tests = (isOpen ? patterns.slice(0, -1) : patterns).map(compileText);
  const [program, ...rest] = tests;
  // A rule that denies a program denies it under every path and, as other systems read names, in letters of either case.
  const first =
    program === undefined || mode === "must"
      ? program
      : (name: string) => program(name) || (!isPlainName(name) && (program(baseOf(name)) || program(plainName(name))));
  const all = first === undefined ? [] : [first, ...rest];
  return (argv) => {
    const known = argv.indexOf(null);
    if (known >= 0)
      return mode === "may" ? mayCover(all, isOpen, argv, known) : isOpen && all.length <= known && heads(all, argv);
    return (isOpen ? argv.length >= all.length : argv.length === all.length) && heads(all, argv);
  };
}

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
