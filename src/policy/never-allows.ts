/**
 * Rules that allow but can never allow anything: the guard denies every request that they match, or Pawl cannot tell what such a request
 * would start. This is tried out with ordinary words in place of the wildcards, so a rule counts only if all of these requests are denied.
 */
import { alternatives } from "../base/match/glob.ts";
import { type CompiledPolicy, compilePolicy, compileRule } from "./compile.ts";
import { ABOUT_THE_ASKER } from "./conditions.ts";
import { judge } from "./judge.ts";
import type { Finding } from "./judge-one.ts";
import { expandText } from "./patterns/text.ts";
import type { PolicyRequest } from "./request.ts";
import type { Pattern, Rule } from "./rule.ts";
import { GUARD } from "./shipped/guard.ts";

const WORDS = ["x", "--version", "list", "test", "status", "a.b", "1"];
const PLACES = ["x", "a.b", "a/b.c"];
const MOST_CHOICES = 64;

let guard: CompiledPolicy | undefined;

/** Why the rule can never allow anything, or undefined. The pattern must be sound. */
export function whyNeverAllows(rule: Rule): string | undefined {
  if (rule.effect !== "allow") return undefined;
  const tried = aboutAnybody(rule);
  const { covers } = compileRule(tried);
  const policy = compilePolicy([tried]);
  let why: string | undefined;
  for (const request of requestsOf(rule.pattern)) {
    if (!covers({ request, isVouched: false })) continue;
    const problem = deniedByGuard(request) ?? unexplained(judge(policy, request, undefined));
    if (problem === undefined) return undefined;
    why ??= problem;
  }
  return why;
}

function aboutAnybody(rule: Rule): Rule {
  return rule.when === undefined
    ? rule
    : { ...rule, when: rule.when.filter(({ field }) => !ABOUT_THE_ASKER.includes(field)) };
}

function deniedByGuard(request: PolicyRequest): string | undefined {
  guard ??= compilePolicy(GUARD);
  const { effect, by } = judge(guard, request, undefined);
  return effect === "deny" && by !== null ? `${by.rule.id} denies it: ${by.rule.because}` : undefined;
}

/** What no rule mentions can still be allowed by another rule. */
function unexplained({ effect, why }: Finding): string | undefined {
  return effect === "deny" ? why : undefined;
}

/** Ordinary requests that the pattern is about. Kinds that the guard says nothing about have none. */
function requestsOf(pattern: Pattern): Iterable<PolicyRequest> {
  if ("run" in pattern) return each(listsOf(pattern.run), (argv) => ({ kind: "run", argv }));
  if ("shell" in pattern) return each(textsOf(pattern.shell), (script) => ({ kind: "shell", script }));
  if ("read" in pattern) return each(pathsOf(pattern.read), (path) => ({ kind: "read", path }));
  if ("edit" in pattern) return each(pathsOf(pattern.edit), (path) => ({ kind: "edit", path }));
  if ("fetch" in pattern) return [hostRequest(pattern.fetch)];
  return "git" in pattern ? operationsOf(pattern) : [];
}

function* each<T>(items: Iterable<T>, make: (item: T) => PolicyRequest): Generator<PolicyRequest> {
  for (const item of items) yield make(item);
}

/** Every choice that the braces give, with the same word for all wildcards. */
function* listsOf(run: readonly string[]): Generator<readonly string[]> {
  const isOpen = run.at(-1) === "**";
  const items = (isOpen ? run.slice(0, -1) : run).map(choicesOf);
  const most = Math.max(1, ...items.map(({ length }) => length));
  const tails = isOpen ? [[], ...WORDS.map((word) => [word])] : [[]];
  for (let at = 0; at < most; at += 1) {
    const list = items.map((item) => item[at % item.length] as string);
    for (const word of WORDS) for (const tail of tails) yield [...list.map((item) => withWord(item, word)), ...tail];
  }
}

function* operationsOf({ git, ref, force }: Extract<Pattern, { git: string }>): Generator<PolicyRequest> {
  const refs = ref === undefined ? ["x"] : choicesOf(ref).flatMap(textsOf);
  for (const operation of choicesOf(git).flatMap(textsOf)) {
    for (const one of refs) yield { kind: "git", operation, refs: [one], force: force === true };
  }
}

function hostRequest(pattern: string): PolicyRequest {
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(pattern.replace(/^\*/, "x")) as unknown as [string, string, string?];
  return { kind: "fetch", host, port: Number(port ?? 443) };
}

function pathsOf(glob: string): readonly string[] {
  const globs = alternatives(glob, MOST_CHOICES) ?? [glob];
  return globs.flatMap((one) => PLACES.map((place) => one.replaceAll(/\*\*?|\?/g, place)));
}

/** Braces stand for themselves as well, which no ordinary request has. */
function choicesOf(pattern: string): readonly string[] {
  const [whole, ...others] = expandText(pattern);
  return others.length === 0 ? [whole as string] : others;
}

function textsOf(pattern: string): readonly string[] {
  return WORDS.map((word) => withWord(pattern, word));
}

function withWord(pattern: string, word: string): string {
  return pattern.replaceAll(/\*+/g, word);
}
