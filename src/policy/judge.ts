/**
 * A request and all it is made of: the commands and files of a shell text, and the programs that a program starts, one inside the other.
 * The strictest decides, and what nobody can account for is denied unless a rule names exactly it.
 */
import { type CompiledPolicy, mayDeny } from "./compile.ts";
import {
  groundOf,
  heldBack,
  isOpen,
  namesAll,
  namesProgram,
  notCovered,
  outranks,
  type Reach,
  together,
  vouchesFor,
  withHeld,
} from "./grounds.ts";
import { type Finding, judgeOne, type Notes, type Session, unaccounted } from "./judge-one.ts";
import type { PolicyRequest, RequestOf } from "./request.ts";
import type { Argv, Opaque, Respelled, ShellFacts, Wrapper } from "./shell/facts.ts";
import { steersPrograms } from "./shell/reading/variables.ts";
import { below } from "./shell/reading/walk.ts";
import { shellFacts } from "./shell/shell-facts.ts";
import { editedPaths } from "./shell/tools/edits.ts";
import { textsAmong } from "./shell/tools/options.ts";
import { isDescribed, unwrap } from "./shell/unwrap.ts";

const DEEPEST = 10;
/** Guesses inside guesses: more of them would take too long, and no wrapper needs them. */
const MOST_GUESSES = 3;
/** Behind a program that nobody has described. */
const MOST_STARTS = 40;
const MOST_WORDS = 4000;
const TOO_DEEP = "programs and shells start one another too deeply";

export function judge(policy: CompiledPolicy, request: PolicyRequest, notes: Notes | undefined): Finding {
  const session: Session = { policy, notes, depth: 0, isVouched: false, guesses: 0, isSuspected: false };
  if (request.kind === "run") return judgeRun(session, request);
  return request.kind === "shell" ? judgeShell(session, request) : judgeFile(session, request);
}

function judgeFile(session: Session, request: PolicyRequest): Finding {
  const isUnknown = (request.kind === "read" || request.kind === "edit") && request.path === null;
  return isUnknown ? unaccounted(request, "which file it opens is not known") : judgeOne(session, request);
}

/** `reach`: a rule about the program that starts this one, and how much of this one it names. */
function judgeRun(session: Session, request: RequestOf<"run">, reach?: Reach): Finding {
  const [program] = request.argv;
  if (program === null) return unaccounted(request, "which program it starts is not known");
  if (program === undefined || program === "") {
    return unaccounted(request, "an argument list without a program starts nothing");
  }
  if (session.depth > DEEPEST) return { ...unaccounted(request, TOO_DEEP), isFinal: true };
  const judged = judgeOne(session, request);
  const own = judged.by === null && reach !== undefined ? reach.over(judged) : judged;
  if (outranks(own)) return own;
  const edits = judgeEdits(session, request);
  if (edits.length === 0) return judgeStarted(session, request, own);
  const started = judgeStarted(session, request, own);
  return started.by === null ? strictest(edits, started) : together(started, edits, "unruled");
}

function judgeStarted(session: Session, request: RequestOf<"run">, own: Finding): Finding {
  const found = unwrap(request);
  if (found.kind === "plain") return own;
  if (found.kind === "undescribed") return judgeUndescribed(session, request, own);
  if (found.kind === "opaque") return judgeOpaque(session, request, { own, found });
  return found.kind === "wrapper"
    ? judgeWrapper(session, request, { own, found })
    : judgeRespelled(session, request, { own, found });
}

/** What rules that ask or deny say about the files that it writes. */
function judgeEdits(session: Session, { argv, folders, who, tier }: RequestOf<"run">): readonly Finding[] {
  if (!session.policy.guardsEdits) return NO_FINDINGS;
  const paths = editedPaths(argv).flatMap((path) => pathsFrom(folders, path));
  const context = { ...(who === undefined ? {} : { who }), ...(tier === undefined ? {} : { tier }) };
  return paths.flatMap((path) => ruled(judgeFile(session, { ...context, kind: "edit", path })));
}

const NO_FINDINGS: readonly Finding[] = [];

interface Judged<T> {
  readonly own: Finding;
  readonly found: T;
}

function judgeWrapper(session: Session, request: RequestOf<"run">, { own, found }: Judged<Wrapper>): Finding {
  const { inner, scripts, env: set = [], guesses = [], needs } = found;
  const isVouched = vouchesFor(own, session.policy);
  const within = { ...session, depth: session.depth + 1, isVouched: session.isVouched || namesAll(own) };
  // A rule that names the program vouches for the variables that it sets; those that steer programs are never passed on unseen.
  const extra = namesProgram(own) ? set.filter(([name]) => steersPrograms(name)) : set;
  const env = extra.length === 0 ? request.env : [...(request.env ?? []), ...extra];
  const of = (argv: Argv): RequestOf<"run"> => ({ ...request, argv, ...(env === undefined ? {} : { env }) });
  const parts = inner.map((argv) => judgeRun(within, of(argv), reachOf(own, request.argv, found)));
  for (const script of scripts) parts.push(judgeShell(within, shellOf(of(request.argv), script)));
  for (const argv of guesses) parts.push(...ruled(judgeRun({ ...within, guesses: session.guesses + 1 }, of(argv))));
  if (needs !== undefined && own.by === null) return strictest(parts, own);
  return together(own, parts, isVouched ? "all" : needs === "name" ? "unruled" : "none");
}

/** Each of its words may begin a command, and each text be one for a shell: only rules that ask or deny look at them. */
function judgeUndescribed(session: Session, request: RequestOf<"run">, own: Finding): Finding {
  const { argv, input } = request;
  if (session.isSuspected || (typeof input !== "string" && !argv.some((word, at) => at > 0 && mayStart(session, word))))
    return own;
  const starts = argv.flatMap((word, at) => (at > 0 && mayBegin(session, word) ? [at] : []));
  const texts = textsAmong(argv.slice(1), input);
  if (starts.length + texts.length === 0) return own;
  const isMuch = starts.length + texts.length > MOST_STARTS || starts.length * argv.length > MOST_WORDS;
  if (isMuch && !vouchesFor(own, session.policy)) return unaccounted(request, "too many of its words may be commands");
  const within = { ...session, depth: session.depth + 1, guesses: session.guesses + 1, isSuspected: true };
  const parts = [
    ...starts.flatMap((at) => ruled(judgeRun(within, { ...request, argv: argv.slice(at) }))),
    ...texts.flatMap((script) => ruled(judgeShell(within, shellOf(request, script)))),
  ];
  return own.by === null ? strictest(parts, own) : together(own, parts, "unruled");
}

/** Looked at first, because every decision about such a program comes here. */
function mayStart(session: Session, word: string | null): boolean {
  return word !== null && (word.includes(" ") || mayBegin(session, word));
}

function mayBegin({ policy }: Session, word: string | null | undefined): boolean {
  return typeof word === "string" && (mayDeny(policy, word) || isDescribed(word));
}

/** The written command and its plain spelling: whatever is denied or asked about either is so about both. */
function judgeRespelled(session: Session, request: RequestOf<"run">, { own, found }: Judged<Respelled>): Finding {
  const within = { ...session, depth: session.depth + 1 };
  const [plain, ...others] = found.spellings;
  const of = (argv: Argv): Finding => judgeRun(within, { ...request, argv });
  const main = of(plain);
  const parts = [main, ...others.flatMap((argv) => ruled(of(argv)))];
  if (own.by === null && !found.isHarmless) {
    const why = `no rule allows the options before its command: run ${request.argv.filter((arg) => arg !== null).join(" ")}`;
    return strictest(parts, main.isOpaque === true ? main : { ...own, why });
  }
  return together(own, parts, vouchesFor(own, session.policy) ? "all" : own.by === null ? "none" : "unruled");
}

function judgeOpaque(session: Session, request: RequestOf<"run">, { own, found }: Judged<Opaque>): Finding {
  const within = { ...session, depth: session.depth + 1, guesses: session.guesses + 1 };
  const { guesses, texts, hides } = found;
  const parts =
    session.guesses >= MOST_GUESSES
      ? []
      : session.isSuspected
        ? respellings(found, request).flatMap((argv) =>
            ruled(judgeRun({ ...within, guesses: MOST_GUESSES }, { ...request, argv })),
          )
        : [
            ...guesses.flatMap((argv) => ruled(judgeRun(within, { ...request, argv }))),
            ...texts.flatMap((script) => ruled(judgeShell(within, shellOf(request, script)))),
          ];
  const isNamed = hides === "program" && namesProgram(own);
  if (isNamed) return together(own, parts, "unruled");
  const hidden = strictest(parts, unaccounted(request, notCovered(own, session.policy, found)));
  return vouchesFor(own, session.policy) ? together(own, [hidden], "all") : hidden;
}

const MOST_RESPELLINGS = 8;

/** What stands behind the program is looked at already: what is left are other spellings of the command itself. */
function respellings({ guesses }: Opaque, { argv }: RequestOf<"run">): readonly Argv[] {
  return guesses.filter(([program]) => program === argv[0]).slice(-MOST_RESPELLINGS);
}

function judgeShell(session: Session, request: RequestOf<"shell">): Finding {
  if (session.depth > DEEPEST) return { ...unaccounted(request, TOO_DEEP), isFinal: true };
  const own = judgeOne(session, request);
  if (outranks(own)) return own;
  const facts = shellFacts(request.script);
  const isVouched = vouchesFor(own, session.policy);
  const isKnown = namesAll(own) || isOpen(own);
  const within = { ...session, depth: session.depth + 1, isVouched: session.isVouched || isKnown };
  const parts = partsOf(within, request, facts);
  if (!facts.ok) {
    const hidden = strictest(parts, unaccounted(request, facts.why));
    return isVouched ? together(own, [hidden], "all") : hidden;
  }
  const covers = groundOf(own)?.rule.effect === "allow";
  return together(own, parts, isVouched ? "all" : covers ? "unruled" : "none");
}

function partsOf(session: Session, request: RequestOf<"shell">, facts: ShellFacts): Finding[] {
  const { script: _script, input: around, folders: outer, beginnings: _beginnings, ...context } = request;
  // Several commands share what the text reads: which of them reads how much is not known.
  const shared = typeof around === "string" && facts.commands.length > 1 ? null : around;
  return [
    ...facts.commands.map(({ env, folders: inner, input = shared, ...command }) => {
      const all = request.env === undefined ? env : [...request.env, ...env];
      const folders = foldersBelow(outer, inner);
      const around = { ...(input === undefined ? {} : { input }), ...(folders === undefined ? {} : { folders }) };
      return judgeRun(session, { ...context, ...command, kind: "run", env: all, ...around });
    }),
    ...facts.files.flatMap(({ access, path }) =>
      pathsFrom(outer, path).map((one) => judgeFile(session, { ...context, kind: access, path: one })),
    ),
  ];
}

/** A text inside another begins where that one has gone. */
function foldersBelow(
  outer: readonly string[] | undefined,
  inner: readonly string[] | undefined,
): readonly string[] | undefined {
  if (outer === undefined || inner === undefined) return outer ?? inner;
  return [...new Set(outer.flatMap((from) => inner.map((folder) => below(from, folder))))];
}

function pathsFrom(folders: readonly string[] | undefined, path: string | null): readonly (string | null)[] {
  if (path === null || folders === undefined) return [path];
  return [...new Set(folders.map((folder) => below(folder, path)))];
}

function shellOf({ argv: _argv, ...context }: RequestOf<"run">, script: string): RequestOf<"shell"> {
  return { ...context, kind: "shell", script };
}

/** A rule that allows names what stands before the started program, and some of that: it reaches so far. */
function reachOf(own: Finding, argv: Argv, { inner, scripts }: Wrapper): Reach | undefined {
  const ground = groundOf(own);
  const [started, ...others] = inner;
  if (ground === null || started === undefined || others.length > 0 || scripts.length > 0) return undefined;
  const from = argv.length - started.length;
  const isBehind = from > 0 && started.every((argument, index) => argument === argv[from + index]);
  if (!isBehind || ground.fixed <= from) return undefined;
  return { over: (finding) => ({ ...finding, effect: ground.rule.effect, by: ground }) };
}

/** Of a guess only what a rule says about it or a part of it counts, and only if it is strict. */
function ruled(finding: Finding): readonly Finding[] {
  if (finding.by !== null) return finding.effect === "allow" ? [] : [finding];
  return finding.heldAbout === undefined ? [] : heldBack(finding);
}

/** What some rule denies among the parts, else `other`; a rule that asks asks if `other` comes to be allowed. */
function strictest(parts: readonly Finding[], other: Finding): Finding {
  const denied = parts.find(({ by, effect }) => by !== null && effect === "deny");
  if (denied !== undefined) return denied;
  const asked = parts.find(({ by, effect }) => by !== null && effect === "ask");
  return withHeld(other, asked);
}
