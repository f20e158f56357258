/**
 * What a request asks for, as a list of models in the order in which they are tried. A tier gives each wire the models that
 * speak it: nothing is translated from one wire to another, and a model that cannot be asked is named, never replaced in
 * silence.
 */
import {
  type Candidate,
  type Providers,
  readCandidate,
  readPinned,
  showCandidate,
  speaks,
  splitEffort,
  type WireName,
} from "./candidate.ts";

/** Models by the name of the tier, in order; none of them is a tier. */
export type Tiers = Readonly<Record<string, readonly string[]>>;

/** A model that was asked before and did not answer, or was left out. */
export interface PassedOver {
  /** As `showCandidate` gives it. */
  readonly model: string;
  readonly why: string;
}

export interface Route {
  /** As it was asked for. */
  readonly asked: string;
  /** At least one. */
  readonly candidates: readonly Candidate[];
  readonly passedOver: readonly PassedOver[];
}

export type Routed = { readonly ok: true; readonly route: Route } | { readonly ok: false; readonly why: string };

export const MOST_CANDIDATES = 8;

export function findRoute(
  asked: string,
  wire: WireName,
  { tiers, providers }: { readonly tiers: Tiers; readonly providers: Providers },
): Routed {
  const names = asked.split(",").map((part) => part.trim());
  if (names.includes("")) return { ok: false, why: `"${asked}" names no model between two commas` };
  const texts = names.flatMap((name) => expanded(name, tiers));
  const isPinned = texts.length === 1 && texts[0] === asked;
  const found = texts.map((text) => (isPinned ? readPinned : readCandidate)(text, providers, wire));
  const all = found.filter((one, index) => found.findIndex((other) => isSame(one, other)) === index);
  const candidates = all.filter(({ provider }) => speaks(providers, provider, wire));
  const passedOver = all
    .filter((one) => !candidates.includes(one))
    .map((one) => ({ model: showCandidate(one), why: whyNot(providers, one.provider, wire) }));
  if (candidates.length > MOST_CANDIDATES) {
    return { ok: false, why: `"${asked}" names ${candidates.length} models, and may name ${MOST_CANDIDATES}` };
  }
  if (candidates.length === 0) {
    const reasons = passedOver.map(({ model, why }) => `${model}: ${why}`).join("; ");
    return { ok: false, why: `no model of "${asked}" can answer this request (${reasons})` };
  }
  return { ok: true, route: { asked, candidates, passedOver } };
}

/** The effort behind the name of a tier is for those of its models that have none of their own. */
function expanded(name: string, tiers: Tiers): readonly string[] {
  if (Object.hasOwn(tiers, name)) return tiers[name] as readonly string[];
  const { name: bare, effort } = splitEffort(name);
  if (effort === null || !Object.hasOwn(tiers, bare)) return [name];
  return (tiers[bare] as readonly string[]).map((model) =>
    splitEffort(model).effort === null ? `${model}:${effort}` : model,
  );
}

function isSame(a: Candidate, b: Candidate): boolean {
  return showCandidate(a) === showCandidate(b);
}

function whyNot(providers: Providers, provider: string, wire: WireName): string {
  if (!Object.hasOwn(providers, provider)) return `no provider ${provider} is set up`;
  return `${provider} does not speak ${wire}, and requests are not translated`;
}
