/** The rule that a finding stands on, what that rule names, and what becomes of a request and its parts together. */
import type { CompiledPolicy, CompiledRule } from "./compile.ts";
import type { Finding } from "./judge-one.ts";
import { EFFECTS } from "./rule.ts";
import type { Opaque } from "./shell/facts.ts";

/** A rule about a program, as far as it names the one that is started by it. */
export interface Reach {
  over(finding: Finding): Finding;
}

/** The rule without which it would be denied. */
export function groundOf({ by, over }: Finding): CompiledRule | null {
  return over ?? by;
}

/** A rule denies it: nothing inside can change that. */
export function outranks({ by, effect }: Finding): boolean {
  return by !== null && effect === "deny";
}

/** The rule is this text or argument list, word for word. */
export function namesAll(finding: Finding): boolean {
  return groundOf(finding)?.names === "all";
}

/** The rule is `**`: whatever comes. */
export function isOpen(finding: Finding): boolean {
  return groundOf(finding)?.names === "open";
}

/** The rule writes out the program, so it is about what that program does by itself. */
export function namesProgram(finding: Finding): boolean {
  const names = groundOf(finding)?.names;
  return names === "program" || names === "all";
}

/**
 * The rule stands for what cannot be seen. A rule that asks leaves it to a person. One that allows whatever comes does not mean what the
 * author denies or asks about elsewhere.
 */
export function vouchesFor(finding: Finding, policy: CompiledPolicy): boolean {
  const ground = groundOf(finding);
  if (ground === null) return false;
  const { rule, names } = ground;
  if (rule.effect === "ask" && rule.yields !== true) return true;
  if (finding.request.kind === "run" && rule.effect === "allow" && policy.isOpen) return true;
  return names === "all" || (names === "open" && !policy.isGuarded);
}

/** Why what cannot be seen is denied, and what would allow it. */
export function notCovered(finding: Finding, policy: CompiledPolicy, { why, hides }: Opaque): string {
  if (!isOpen(finding) || !policy.isGuarded) return why;
  const rule = groundOf(finding)?.rule.id;
  const beside = `${why}. Rule ${rule} does not cover it, because other rules deny commands or ask about them`;
  return hides === "program" ? `${beside}: name the program in a rule that allows it` : beside;
}

/** What a rule that only tightens makes of a request once something else allows it. */
export function heldBack(finding: Finding): readonly Finding[] {
  const { held, request, heldAbout = request } = finding;
  return held === undefined ? [] : [{ ...finding, effect: "ask", by: held, request: heldAbout }];
}

/**
 * How far the rule about the whole stands for parts that no rule mentions: for none of them, for those that can be accounted for, or for
 * all.
 */
export type Cover = "none" | "unruled" | "all";

export function together(own: Finding, parts: readonly Finding[], cover: Cover): Finding {
  const all = [own, ...parts];
  const shadow = [...new Set(all.flatMap((finding) => finding.shadow))];
  const ruled = [own, ...parts.filter(({ by }) => cover === "none" || by?.rule.yields !== true)].filter(
    ({ by }) => by !== null,
  );
  const strictest = EFFECTS.flatMap((effect) => ruled.filter((finding) => finding.effect === effect))[0];
  // A person is not asked about what is denied anyway.
  const decisive = strictest?.effect === "deny" ? strictest : (unruledOf(parts, cover) ?? strictest ?? own);
  if (decisive.effect === "allow") return { ...(all.flatMap(heldBack)[0] ?? decisive), shadow };
  const asked = ruled.find(({ by, effect }) => effect === "ask" && by?.rule.yields !== true);
  return { ...withHeld(decisive, asked), shadow };
}

/** A rule that asks about a part asks if another rule allows the whole. */
export function withHeld(finding: Finding, asked: Finding | undefined): Finding {
  return asked?.by == null ? finding : { ...finding, held: asked.by, heldAbout: asked.request };
}

function unruledOf(parts: readonly Finding[], cover: Cover): Finding | undefined {
  const unruled = parts.filter(({ by }) => by === null);
  const final = unruled.find(({ isFinal }) => isFinal);
  if (final !== undefined || cover === "all") return final;
  return unruled.find(({ isOpaque }) => isOpaque) ?? (cover === "none" ? unruled[0] : undefined);
}
