/** The toolsets that a blueprint may name. */
import type { Toolset } from "./agent-signature.ts";

/** What a tool by name may do is for policy to say; a tool of a server can do anything, so that only some have those. */
const TOOLSETS: readonly Toolset[] = [
  { name: "repo_readonly", powers: ["read", "tool"] },
  { name: "docs_research", powers: ["read", "fetch", "tool"] },
  { name: "debug_ci", powers: ["read", "edit", "run", "tool"] },
  { name: "coding_backend", powers: ["read", "edit", "run", "mcp", "tool"] },
  { name: "coding_frontend", powers: ["read", "edit", "run", "fetch", "mcp", "tool"] },
  { name: "release_ops", powers: ["read", "edit", "run", "tool"], asks: ["edit", "run"] },
];

export const TOOLSET_NAMES: readonly string[] = TOOLSETS.map(({ name }) => name);

export function toolsetOf(name: string): Toolset | undefined {
  return TOOLSETS.find((toolset) => toolset.name === name);
}
