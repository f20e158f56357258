/**
 * A request and all it is made of: the commands and files of a shell text, and the programs that a program starts. The strictest
 * decides, and what nobody can account for is denied unless a rule names exactly it.
 */
import type { CompiledPolicy, CompiledRule } from "./compile.ts";
import { type Finding, judgeOne, type Notes, type Session, unaccounted } from "./judge-one.ts";
import type { PolicyRequest, RequestOf } from "./request.ts";
import { EFFECTS } from "./rule.ts";
import type { Argv } from "./shell/facts.ts";
import { shellFacts } from "./shell/shell-facts.ts";
import { unwrap } from "./shell/unwrap.ts";

const DEEPEST = 8;

export function judge(policy: CompiledPolicy, request: PolicyRequest, notes: Notes | undefined): Finding {
  const session = { policy, notes, depth: 0, isVouched: false };
  if (request.kind === "run") return judgeRun(session, request);
  return request.kind === "shell" ? judgeShell(session, request) : judgeFile(session, request);
}

function judgeFile(session: Session, request: PolicyRequest): Finding {
  const isUnknown = (request.kind === "read" || request.kind === "edit") && request.path === null;
  return isUnknown ? unaccounted(request, "which file it opens is not known") : judgeOne(session, request);
}

function judgeRun(session: Session, request: RequestOf<"run">): Finding {
  const [program] = request.argv;
  if (program === null) return unaccounted(request, "which program it starts is not known");
  if (program === undefined || program === "") {
    return unaccounted(request, "an argument list without a program starts nothing");
  }
  const own = judgeOne(session, request);
  if (own.by !== null && own.effect === "deny") return own;
  const found = unwrap(request.argv);
  if (found.kind === "plain") return own;
  if (found.kind === "opaque") return vouchesFor(own) ? own : unaccounted(request, found.why);
  const { inner, script } = found;
  const within = { ...session, depth: session.depth + 1, isVouched: session.isVouched || vouchesFor(own) };
  const parts = inner.map((argv) => judgeOne(within, { ...request, argv }));
  if (script !== undefined) parts.push(judgeShell(within, shellOf(request, script)));
  return together(own, parts, vouchesFor(own) || namesStarted(own, request.argv, inner, script));
}

function judgeShell(session: Session, request: RequestOf<"shell">): Finding {
  if (session.depth > DEEPEST) return unaccounted(request, "shells start one another too deeply");
  const own = judgeOne(session, request);
  if (own.by !== null && own.effect === "deny") return own;
  const facts = shellFacts(request.script);
  if (!facts.ok) return vouchesFor(own) ? own : unaccounted(request, facts.why);
  const { script: _script, ...context } = request;
  const within = { ...session, isVouched: session.isVouched || vouchesFor(own) };
  const parts = [
    ...facts.commands.map(({ argv, env }) => judgeRun(within, { ...context, kind: "run", argv, env })),
    ...facts.files.map(({ access, path }) => judgeFile(within, { ...context, kind: access, path })),
  ];
  const covers = groundOf(own)?.rule.effect === "allow" && !parts.some(({ isOpaque }) => isOpaque);
  return together(own, parts, covers || vouchesFor(own));
}

function shellOf({ argv: _argv, env: _env, ...context }: RequestOf<"run">, script: string): RequestOf<"shell"> {
  return { ...context, kind: "shell", script };
}

/** The rule without which it would be denied. */
function groundOf({ by, over }: Finding): CompiledRule | null {
  return over ?? by;
}

/** A rule that asks leaves it to a person; one that allows, or yields to those, must name all of it. */
function vouchesFor(finding: Finding): boolean {
  const ground = groundOf(finding);
  if (ground === null) return false;
  const { rule, fixed } = ground;
  return (rule.effect === "ask" && rule.yields !== true) || fixed === Number.POSITIVE_INFINITY;
}

/** The rule names the program that is started, and all that stands before it. */
function namesStarted(own: Finding, argv: Argv, inner: readonly Argv[], script: string | undefined): boolean {
  const [started, ...others] = inner;
  const ground = groundOf(own);
  if (ground === null || started === undefined || others.length > 0 || script !== undefined) return false;
  const from = argv.length - started.length;
  return ground.fixed > from && started.every((argument, index) => argument === argv[from + index]);
}

/** What a rule that only tightens makes of a request once something else allows it. */
function heldBack(finding: Finding): readonly Finding[] {
  return finding.held === undefined ? [] : [{ ...finding, effect: "ask", by: finding.held }];
}

/** `isCovered`: the rule about the whole stands for parts that no rule mentions. */
function together(own: Finding, parts: readonly Finding[], isCovered: boolean): Finding {
  const all = [own, ...parts];
  const shadow = [...new Set(all.flatMap((finding) => finding.shadow))];
  const ruled = [own, ...parts.filter(({ by }) => !(isCovered && by?.rule.yields))].filter(({ by }) => by !== null);
  const unruled = isCovered ? undefined : parts.find(({ by }) => by === null);
  const strictest = EFFECTS.flatMap((effect) => ruled.filter((finding) => finding.effect === effect))[0];
  // A person is not asked about what is denied anyway.
  const decisive = strictest?.effect === "deny" ? strictest : (unruled ?? strictest ?? own);
  const held = decisive.effect === "allow" ? all.flatMap(heldBack)[0] : undefined;
  return { ...(held ?? decisive), shadow };
}
