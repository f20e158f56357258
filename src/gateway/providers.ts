/** Providers: where each is, how it wants its key, and which variables a key may stand in. */
import type { WireName } from "./wires/wire.ts";

export interface Provider {
  /** Without the version that paths begin with. */
  readonly baseUrl: string;
  /** Header that the key is put into. */
  readonly auth: "x-api-key" | "authorization" | "x-goog-api-key";
  readonly wires: readonly WireName[];
  /** Variables of the environment, the first that is set counts. */
  readonly variables: readonly string[];
}

export const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    baseUrl: "https://api.anthropic.com",
    auth: "x-api-key",
    wires: ["anthropic"],
    variables: ["PAWL_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"],
  },
  openai: {
    baseUrl: "https://api.openai.com",
    auth: "authorization",
    wires: ["responses", "chat"],
    variables: ["PAWL_OPENAI_API_KEY", "OPENAI_API_KEY"],
  },
  google: {
    baseUrl: "https://generativelanguage.googleapis.com",
    auth: "x-goog-api-key",
    wires: ["gemini"],
    variables: ["PAWL_GEMINI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  },
};

/** The address that a person wrote: with or without a version at its end, and without anything else. */
export function baseUrlOf(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, origin, pathname, username, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol) || username !== "" || search !== "" || hash !== "") return null;
  return origin + pathname.replace(/\/+$/, "").replace(/\/v1(?:beta)?$/, "");
}
