/** A model as people write it: `claude-x`, `openai/gpt-x`, `gpt-x:high`. */

export const EFFORTS = ["low", "medium", "high"] as const;
export type Effort = (typeof EFFORTS)[number];

/** The wires that agents speak. A request stays on the wire it came on. */
export const WIRES = ["anthropic", "responses", "chat", "gemini"] as const;
export type WireName = (typeof WIRES)[number];

/** Which wires each provider answers on. */
export type Providers = Readonly<Record<string, readonly WireName[]>>;

export interface Candidate {
  readonly provider: string;
  /** As the provider calls it. */
  readonly model: string;
  /** null: as the request has it. */
  readonly effort: Effort | null;
}

/** Whose a model is by its name; the first that fits. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^claude/i, "anthropic"],
  [/^(?:gpt|chatgpt|codex|o\d)/i, "openai"],
  [/^(?:gemini|gemma)/i, "google"],
  [/^grok/i, "xai"],
];

/** Who answers a wire when nothing else tells. */
const HOME: Readonly<Record<WireName, string>> = {
  anthropic: "anthropic",
  responses: "openai",
  chat: "openai",
  gemini: "google",
};

/** The name without its effort; a colon before anything else belongs to the name. */
export function splitEffort(text: string): { readonly name: string; readonly effort: Effort | null } {
  const colon = text.lastIndexOf(":");
  const effort = EFFORTS.find((known) => known === text.slice(colon + 1));
  if (colon < 1 || effort === undefined) return { name: text, effort: null };
  return { name: text.slice(0, colon), effort };
}

/** A provider may stand before the name; a slash behind anything else belongs to the name. What tells nothing belongs to the wire. */
export function readCandidate(text: string, providers: Providers, wire: WireName): Candidate {
  const { name, effort } = splitEffort(text);
  const slash = name.indexOf("/");
  const prefix = name.slice(0, Math.max(slash, 0));
  if (Object.hasOwn(providers, prefix)) return { provider: prefix, model: name.slice(slash + 1), effort };
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
  return { provider: family ?? HOME[wire], model: name, effort };
}

export function speaks(providers: Providers, provider: string, wire: WireName): boolean {
  return Object.hasOwn(providers, provider) && (providers[provider] as readonly WireName[]).includes(wire);
}

/**
 * A model that was asked for by its own name. Whoever answers on the wire may have it, whatever its name looks like: many
 * providers pass on to others.
 */
export function readPinned(text: string, providers: Providers, wire: WireName): Candidate {
  const found = readCandidate(text, providers, wire);
  const isNamed = showCandidate(found) === text;
  return isNamed || speaks(providers, found.provider, wire) ? found : { ...found, provider: HOME[wire] };
}

export function showCandidate({ provider, model, effort }: Candidate): string {
  return `${provider}/${model}${effort === null ? "" : `:${effort}`}`;
}
