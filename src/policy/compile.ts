/** Rules → a form that finds the few rules a request may match without looking at the others. */
import { type Asked, knownPart, type Mode } from "./asked.ts";
import { compileCondition } from "./conditions.ts";
import { baseOf, fixedLength, isPlainName, plainName } from "./patterns/argv.ts";
import { type AskedTest, compilePattern } from "./patterns/pattern.ts";
import { expandText } from "./patterns/text.ts";
import type { PolicyRequest, RequestKind } from "./request.ts";
import { EFFECTS, layerOf, type Pattern, type Rule } from "./rule.ts";
import { SETS } from "./shipped/sets.ts";

export interface CompiledRule {
  readonly rule: Rule;
  covers(asked: Asked): boolean;
  /** How much of a request is written out in the rule, from its beginning; Infinity: all of it. */
  readonly fixed: number;
  /**
   * What is written out: `all` of the request, the `program` that it starts, or nothing: `open` is a rule for whatever comes. A rule of a
   * shipped set only means what can be accounted for.
   */
  readonly names: "all" | "program" | "open" | "none";
}

interface Shelf {
  /** Rules that may cover a program of this name. */
  readonly named: ReadonlyMap<string, readonly CompiledRule[]>;
  /** Rules for programs that no rule names. */
  readonly unnamed: readonly CompiledRule[];
  readonly all: readonly CompiledRule[];
  /** Some rule that asks or denies says of the program only how its name is made. */
  readonly deniesByShape: boolean;
}

/** The rules for requests of one kind, read when the first of that kind comes: a policy has many, a run needs few. */
type Shelves = (kind: RequestKind) => Shelf;

export interface CompiledPolicy {
  /** Throws when a rule that may cover requests of this kind cannot be used: nothing is decided by a part of them. */
  readonly rules: Shelves;
  /** Rules that never decide; undefined: there are none. */
  readonly shadow: Shelves | undefined;
  /** Someone besides Pawl denies commands or asks about them: a rule for whatever comes is not meant for what hides one. */
  readonly isGuarded: boolean;
  /** Someone denies edits or asks about them, so the files that programs write are looked at. */
  readonly guardsEdits: boolean;
  /** Nobody does, and a rule allows whatever program comes: it stands for what hides commands, whichever rule is named. */
  readonly isOpen: boolean;
}

/** Throws for a rule without an effect. */
export function compilePolicy(rules: readonly Rule[]): CompiledPolicy {
  const all = rules.flatMap(parted);
  const shadow = all.filter((rule) => rule.shadow === true);
  const isGuarded = rules.some(guardsCommands);
  return {
    rules: shelves(all.filter((rule) => rule.shadow !== true)),
    shadow: shadow.length === 0 ? undefined : shelves(shadow),
    isGuarded,
    guardsEdits: rules.some(({ effect, pattern }) => effect !== "allow" && isFor(pattern, "edit")),
    isOpen: !isGuarded && rules.some(allowsAll),
  };
}

/**
 * The shipped rules are part of every policy, and reading their expressions costs more than all the rest: each rule is read once. Rules
 * never change, and a rule that nobody holds any more is forgotten.
 */
const PARTS = new WeakMap<Rule, readonly Rule[]>();
const COMPILED = new WeakMap<Rule, CompiledRule>();

function allowsAll(rule: Rule): boolean {
  return "run" in rule.pattern && rule.effect === "allow" && rule.shadow !== true && namesOf(rule) === "open";
}

function guardsCommands(rule: Rule): boolean {
  const { pattern, effect, shadow, yields } = rule;
  const isStrict = effect !== "allow" && shadow !== true && yields !== true && layerOf(rule) !== "guard";
  return isStrict && (isFor(pattern, "run") || isFor(pattern, "shell"));
}

/** A rule that only asks about what is not known is two: see `readsUnknown`. */
function parted(rule: Rule): readonly Rule[] {
  if (rule.unknown !== "ask") return [rule];
  const parts = PARTS.get(rule) ?? [rule, { ...rule, effect: "ask" as const, tightens: true as const }];
  PARTS.set(rule, parts);
  return parts;
}

/** The rules that may cover the request, the strictest first, each effect in the order written; those that yield come last. */
export function candidates(shelves: Shelves, request: PolicyRequest): readonly CompiledRule[] {
  const shelf = shelves(request.kind);
  if (request.kind !== "run") return shelf.all;
  // Whoever asks knows the program: one that is not known is denied before.
  const program = request.argv[0] as string;
  return rulesNaming(shelf, program) ?? shelf.unnamed;
}

function rulesNaming({ named }: Shelf, program: string): readonly CompiledRule[] | undefined {
  const found = named.get(program);
  if (found !== undefined || isPlainName(program)) return found;
  return named.get(baseOf(program)) ?? named.get(plainName(program));
}

const BY_REACH = ["all", "program", "open", "none"] as const;

/** Of the rules that allow, the one that stands for most of what cannot be seen comes first; else in the order written. */
function byReach(rules: readonly Rule[]): readonly Rule[] {
  const named = rules.map((rule) => [rule, namesOf(rule)] as const);
  return BY_REACH.flatMap((names) => named.filter(([, found]) => found === names).map(([rule]) => rule));
}

function shelves(rules: readonly Rule[]): Shelves {
  const firm = rules.filter((rule) => rule.yields !== true);
  const ordered = EFFECTS.flatMap((effect) => {
    const some = firm.filter((rule) => rule.effect === effect);
    return effect === "allow" ? byReach(some) : some;
  });
  const all = [...ordered, ...rules.filter((rule) => rule.yields === true)];
  if (all.length !== rules.length) throw new RangeError("a rule has an effect that does not exist");
  const known = new Map<RequestKind, Shelf>();
  return (kind) => {
    const shelf = known.get(kind);
    if (shelf !== undefined) return shelf;
    const fresh = shelfOf(all.filter(({ pattern }) => isFor(pattern, kind)).map(compileRule));
    known.set(kind, fresh);
    return fresh;
  };
}

function shelfOf(rules: readonly CompiledRule[]): Shelf {
  const programs = new Map(rules.map((compiled) => [compiled, programsOf(compiled.rule.pattern)]));
  const names = new Set([...programs.values()].flatMap((found) => found ?? []));
  const forName = (name: string): readonly CompiledRule[] =>
    rules.filter((compiled) => {
      const found = programs.get(compiled);
      return found === undefined || found.includes(name) || found.includes(baseOf(name));
    });
  return {
    named: new Map([...names].map((name) => [name, forName(name)])),
    unnamed: rules.filter((compiled) => programs.get(compiled) === undefined),
    all: rules,
    deniesByShape: rules.some(isByShape),
  };
}

/** A rule for whatever program comes has seen the words already: they are arguments of the program before them. */
function isByShape({ rule: { effect, pattern } }: CompiledRule): boolean {
  if (effect === "allow" || programsOf(pattern) !== undefined) return false;
  return !("run" in pattern) || pattern.run[0] !== "**";
}

/** A rule that asks or denies may be about a command that begins with the word. */
export function mayDeny({ rules }: CompiledPolicy, word: string): boolean {
  const shelf = rules("run");
  return shelf.deniesByShape || rulesNaming(shelf, word) !== undefined;
}

/** The programs a pattern names; undefined: any. */
function programsOf(pattern: Pattern): readonly string[] | undefined {
  if (!("run" in pattern)) return undefined;
  const names = expandText(pattern.run[0] as string);
  return names.some((name) => name.includes("*")) ? undefined : names;
}

function isFor(pattern: Pattern, kind: RequestKind): boolean {
  return kind in pattern || "any" in pattern;
}

/** The test is only asked about requests of the kind that the rule is for. */
export function compileRule(rule: Rule): CompiledRule {
  const compiled = COMPILED.get(rule) ?? readRule(rule);
  COMPILED.set(rule, compiled);
  return compiled;
}

function readRule(rule: Rule): CompiledRule {
  const { pattern, effect, when = [], except = [] } = rule;
  const mode: Mode = effect === "allow" || rule.yields === true ? "must" : "may";
  const matches = compilePattern(pattern, mode);
  const needed = when.map((condition) => compileCondition(condition, mode));
  // What takes a request away from a rule is read the other way round.
  const lifted = except.map((condition) => compileCondition(condition, mode === "must" ? "may" : "must"));
  const isPlain = needed.length + lifted.length === 0;
  return {
    rule,
    fixed: isPlain ? fixedPart(pattern) : 0,
    names: namesOf(rule),
    covers: readsUnknown(
      rule,
      isPlain
        ? matches
        : (asked) => matches(asked) && needed.every((holds) => holds(asked)) && !lifted.some((holds) => holds(asked)),
    ),
  };
}

/** Denied is what the known part alone is denied for; the rest is asked about. */
function readsUnknown({ unknown, effect }: Rule, covers: AskedTest): AskedTest {
  if (unknown === undefined) return covers;
  return (asked) => covers(asked) && covers(knownPart(asked)) === (effect === "deny");
}

function fixedPart(pattern: Pattern): number {
  if ("run" in pattern) return fixedLength(pattern);
  return "shell" in pattern && !pattern.shell.includes("*") ? Number.POSITIVE_INFINITY : 0;
}

/** Conditions take requests away from a rule; the program that it names stays named. */
function namesOf(rule: Rule): CompiledRule["names"] {
  const { pattern, when = [], except = [] } = rule;
  if (when.length + except.length > 0) return namesProgram(rule) ? "program" : "none";
  if (!("run" in pattern)) return "shell" in pattern ? namesOfText(pattern.shell) : "none";
  if (pattern.run.length === 1 && pattern.run[0] === "**") return "open";
  if (fixedLength(pattern) === Number.POSITIVE_INFINITY) return "all";
  return namesProgram(rule) ? "program" : "none";
}

/** Nobody has read what a shipped set names. */
function namesProgram(rule: Rule): boolean {
  return "run" in rule.pattern && programsOf(rule.pattern) !== undefined && !(layerOf(rule) in SETS);
}

function namesOfText(text: string): CompiledRule["names"] {
  if (text === "**") return "open";
  return text.includes("*") ? "none" : "all";
}
