/**
 * Globs over paths, read lexically. `**` stands for any number of folders, `*` for any characters of one name, `?` for one,
 * `{a,b}` for either. Names that begin with a dot are names like others. The cost of a match is at most the length of the glob times the
 * length of the path, whatever both are.
 */

/** Below the root, above it (`../`), or counted from the top of the file system. */
export interface PathParts {
  readonly from: "root" | "above" | "top";
  readonly names: readonly string[];
}

type NameTest = (name: string) => boolean;
type Step = NameTest | "**";

const LONGEST_GLOB = 1000;
const MOST_ALTERNATIVES = 256;

/** Why the text is no glob, or undefined. A form of other tools that means nothing here is refused. */
export function globProblem(glob: string): string | undefined {
  if (glob === "") return "it is empty";
  if (glob.length > LONGEST_GLOB) return `it is longer than ${LONGEST_GLOB} characters`;
  if (/[[\]\\!]/.test(glob)) return "it has [, ], ! or a backslash, which mean nothing in a glob: write ? or {a,b}";
  const globs = alternatives(glob, MOST_ALTERNATIVES);
  if (globs === undefined) return `its braces are not closed, or give more than ${MOST_ALTERNATIVES} alternatives`;
  if (globs.some((one) => /[^/]\*\*|\*\*[^/]/.test(one))) return "** stands only for whole folders, as in a/**/b";
  if (globs.some((one) => /\*[^/]*\/(.*\/)?\.\.(\/|$)/.test(one))) return "a .. after a wildcard leads nowhere known";
  return undefined;
}

/** The path is normalised first; one that leaves the root matches only globs that begin with `../` or `/`. */
export function matchesPath(glob: string, path: string): boolean {
  return compileGlob(glob)(path);
}

/** Throws when the text is no glob: whoever reads one from a person asks `globProblem` first. */
export function compileGlob(glob: string): (path: string) => boolean {
  const covers = compileParts(glob);
  return (path) => covers(pathParts(path));
}

/** The same for a path that was taken apart before, because it is compared with many globs. */
export function compileParts(glob: string): (parts: PathParts) => boolean {
  return compileSome([glob]);
}

/** The same for several globs of which one must cover the path. */
export function compileSome(globs: readonly string[]): (parts: PathParts) => boolean {
  const choices = globs.flatMap((glob) => {
    const problem = globProblem(glob);
    if (problem !== undefined) throw new RangeError(`the glob ${JSON.stringify(glob)} cannot be used: ${problem}`);
    return (alternatives(glob, MOST_ALTERNATIVES) as string[]).map(pathParts);
  });
  const tests = {
    root: compileAll(choices.filter(({ from }) => from === "root")),
    above: compileAll(choices.filter(({ from }) => from === "above")),
    top: compileAll(choices.filter(({ from }) => from === "top")),
  };
  return ({ from, names }) => tests[from](names);
}

/** `./`, `..`, backslashes and doubled slashes are resolved without a look at the file system. */
export function pathParts(path: string): PathParts {
  const slashed = path.includes("\\") ? path.replaceAll("\\", "/") : path;
  const isAbsolute = slashed.startsWith("/");
  const names: string[] = [];
  for (const name of slashed.split("/")) addName(names, name, isAbsolute);
  if (isAbsolute) return { from: "top", names };
  return names[0] === ".." ? { from: "above", names: names.slice(1) } : { from: "root", names };
}

function addName(names: string[], name: string, isAbsolute: boolean): void {
  if (name === "" || name === ".") return;
  const last = names.at(-1);
  const leavesRoot = last === undefined ? !isAbsolute : last === "..";
  if (name !== ".." || leavesRoot) names.push(name);
  else names.pop();
}

/** One spelling for every path that means the same; `.` is the root. */
export function normalisePath(path: string): string {
  const { from, names } = pathParts(path);
  const joined = names.join("/");
  if (from === "root") return joined === "" ? "." : joined;
  return from === "top" ? `/${joined}` : ["..", ...names].join("/");
}

type NamesTest = (names: readonly string[]) => boolean;

/**
 * Most globs ask only for the last name, for some name or for the first one: those are looked up, however many they are. The others
 * are tried one after the other.
 */
function compileAll(choices: readonly PathParts[]): NamesTest {
  const globs = choices.map(({ names }) => names);
  const last = new Set(globs.filter((glob) => isTail(glob) && !isWild(glob[1])).map((glob) => glob[1]));
  const ends = globs.filter((glob) => isTail(glob) && isWild(glob[1])).map((glob) => compileName(glob[1] as string));
  const some = new Set(globs.filter(isPart).map((glob) => glob[1]));
  const rest = globs.filter((glob) => !isTail(glob) && !isPart(glob));
  const begins = new Map<string, NamesTest[]>();
  for (const glob of rest.filter(([first]) => !isWild(first))) {
    const first = glob[0] as string;
    begins.set(first, [...(begins.get(first) ?? []), compileWalk(glob)]);
  }
  const others = rest.filter(([first]) => isWild(first)).map(compileWalk);
  return (names) => {
    const name = names.at(-1);
    if (name === undefined) return others.some((test) => test(names));
    return (
      last.has(name) ||
      ends.some((test) => test(name)) ||
      (some.size > 0 && names.some((each) => some.has(each))) ||
      begins.get(names[0] as string)?.some((test) => test(names)) === true ||
      others.some((test) => test(names))
    );
  };
}

function compileWalk(glob: readonly string[]): NamesTest {
  const steps = glob.map((name): Step => (name === "**" ? "**" : compileName(name)));
  return (names) => walk(steps, names);
}

/** A name at the end of any path. */
function isTail(glob: readonly string[]): boolean {
  return glob.length === 2 && glob[0] === "**" && glob[1] !== "**";
}

/** A name anywhere in a path. */
function isPart(glob: readonly string[]): boolean {
  return glob.length === 3 && glob[0] === "**" && glob[2] === "**" && !isWild(glob[1]);
}

/** The root itself has no name; it is tried like a wildcard. */
function isWild(name: string | undefined): boolean {
  return name === undefined || name.includes("*") || name.includes("?");
}

/** Leftmost match of each stretch between two `**`: the shortest way there leaves the most for the rest. */
function walk(steps: readonly Step[], names: readonly string[]): boolean {
  let step = 0;
  let name = 0;
  let open = -1;
  let resume = 0;
  while (name < names.length) {
    const test = steps[step];
    if (test === "**") {
      open = step;
      resume = name;
      step += 1;
    } else if (test?.(names[name] as string) === true) {
      step += 1;
      name += 1;
    } else if (open < 0) return false;
    else {
      step = open + 1;
      resume += 1;
      name = resume;
    }
  }
  while (steps[step] === "**") step += 1;
  return step === steps.length;
}

function compileName(glob: string): NameTest {
  if (!isWild(glob)) return (name) => name === glob;
  if (glob === "*") return (name) => name !== "..";
  const tail = glob.slice(1);
  return glob.startsWith("*") && !isWild(tail) ? (name) => name.endsWith(tail) : (name) => matchesName(glob, name);
}

/** `*` stands for any characters, none included, and `?` for one. */
function matchesName(glob: string, name: string): boolean {
  let at = 0;
  let read = 0;
  let star = -1;
  let resume = 0;
  while (read < name.length) {
    const wanted = glob[at];
    if (wanted === "*") {
      star = at;
      resume = read;
      at += 1;
    } else if (wanted === "?" || wanted === name[read]) {
      at += 1;
      read += 1;
    } else if (star < 0) return false;
    else {
      at = star + 1;
      resume += 1;
      read = resume;
    }
  }
  while (glob[at] === "*") at += 1;
  return at === glob.length;
}

/** The text once for each choice inside `{a,b}`; braces may stand inside braces. Undefined: not closed, or more than `most`. */
export function alternatives(text: string, most: number): string[] | undefined {
  const open = text.indexOf("{");
  if (open < 0) return text.includes("}") ? undefined : [text];
  const head = text.slice(0, open);
  const group = readGroup(text, open);
  if (group === undefined || head.includes("}")) return undefined;
  const rests = alternatives(text.slice(group.end), most);
  const choices = group.choices.map((choice) => alternatives(choice, most));
  if (rests === undefined || choices.some((choice) => choice === undefined)) return undefined;
  const bodies = (choices as string[][]).flat();
  if (bodies.length * rests.length > most) return undefined;
  return bodies.flatMap((body) => rests.map((rest) => head + body + rest));
}

/** The choices between an opening brace and the one that closes it, and the place after that. */
function readGroup(text: string, open: number): { choices: string[]; end: number } | undefined {
  const choices: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < text.length; at += 1) {
    const char = text[at];
    if (char === "{") depth += 1;
    if (char === "}") depth -= 1;
    if (depth > 1 || (depth === 1 && char !== ",")) continue;
    choices.push(text.slice(from, at));
    from = at + 1;
    if (depth === 0) return { choices, end: from };
  }
  return undefined;
}
