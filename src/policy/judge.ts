/**
 * A request and all it is made of: the commands and files of a shell text, and the programs that a program starts, one inside the other.
 * The strictest decides, and what nobody can account for is denied unless a rule names exactly it.
 */
import { type CompiledPolicy, mayDeny } from "./compile.ts";
import {
  groundOf,
  isOpen,
  namesAll,
  namesProgram,
  notCovered,
  outranks,
  type Reach,
  together,
  vouchesFor,
} from "./grounds.ts";
import { type Finding, judgeOne, type Notes, type Session, unaccounted } from "./judge-one.ts";
import type { PolicyRequest, RequestOf } from "./request.ts";
import type { Argv, Opaque, Respelled, ShellFacts, Wrapper } from "./shell/facts.ts";
import { steersPrograms } from "./shell/reading/variables.ts";
import { shellFacts } from "./shell/shell-facts.ts";
import { textsAmong } from "./shell/tools/options.ts";
import { isDescribed, unwrap } from "./shell/unwrap.ts";

const DEEPEST = 10;
/** Guesses inside guesses: more of them would take too long, and no wrapper needs them. */
const MOST_GUESSES = 3;
/** Behind a program that nobody has described. */
const MOST_WORDS = 400;
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
  const found = unwrap(request);
  if (found.kind === "plain") return own;
  if (found.kind === "undescribed") return judgeUndescribed(session, request, own);
  if (found.kind === "opaque") return judgeOpaque(session, request, { own, found });
  return found.kind === "wrapper"
    ? judgeWrapper(session, request, { own, found })
    : judgeRespelled(session, request, { own, found });
}

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
  if (session.isSuspected) return own;
  const { argv, input } = request;
  const within = { ...session, depth: session.depth + 1, guesses: session.guesses + 1, isSuspected: true };
  const parts: Finding[] = [];
  for (let at = 1; at < argv.length && at <= MOST_WORDS; at += 1) {
    const word = argv[at];
    if (typeof word === "string" && (mayDeny(session.policy, word) || isDescribed(word)))
      parts.push(...ruled(judgeRun(within, { ...request, argv: argv.slice(at) })));
  }
  for (const script of textsAmong(argv.slice(1), input))
    parts.push(...ruled(judgeShell(within, shellOf(request, script))));
  return parts.length === 0 ? own : own.by === null ? strictest(parts, own) : together(own, parts, "unruled");
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
      : [
          ...guesses.flatMap((argv) => ruled(judgeRun(within, { ...request, argv }))),
          ...texts.flatMap((script) => ruled(judgeShell(within, shellOf(request, script)))),
        ];
  const isNamed = hides === "program" && namesProgram(own);
  if (isNamed) return together(own, parts, "unruled");
  const hidden = strictest(parts, unaccounted(request, notCovered(own, session.policy, found)));
  return vouchesFor(own, session.policy) ? together(own, [hidden], "all") : hidden;
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
  const { script: _script, input: around, ...context } = request;
  // Several commands share what the text reads: which of them reads how much is not known.
  const shared = typeof around === "string" && facts.commands.length > 1 ? null : around;
  return [
    ...facts.commands.map(({ argv, env, input = shared }) => {
      const all = request.env === undefined ? env : [...request.env, ...env];
      return judgeRun(session, { ...context, kind: "run", argv, env: all, ...(input === undefined ? {} : { input }) });
    }),
    ...facts.files.map(({ access, path }) => judgeFile(session, { ...context, kind: access, path })),
  ];
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

/** Of a guess only what a rule says about it counts, and only if it is strict. */
function ruled(finding: Finding): readonly Finding[] {
  return finding.by !== null && finding.effect !== "allow" ? [finding] : [];
}

/** What some rule denies among the parts, else `other`; a rule that asks asks if `other` comes to be allowed. */
function strictest(parts: readonly Finding[], other: Finding): Finding {
  const denied = parts.find(({ by, effect }) => by !== null && effect === "deny");
  if (denied !== undefined) return denied;
  const asked = parts.find(({ by, effect }) => by !== null && effect === "ask");
  return asked?.by == null ? other : { ...other, held: asked.by };
}
