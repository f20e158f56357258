/** Every recipe there is, by the order of AGENT_PROGRAMS. */
import { AGENT_PROGRAMS, type AgentProgram } from "../../../scripts/agent-clis.ts";
import { CLAUDE } from "./claude.ts";
import { CODEX } from "./codex.ts";
import { GEMINI } from "./gemini.ts";
import { GROK } from "./grok.ts";
import { OPENCODE } from "./opencode.ts";
import type { Recipe } from "./recipe.ts";

const RECIPES: readonly Recipe[] = [CLAUDE, CODEX, GEMINI, OPENCODE, GROK];

export function recipeOf({ name }: AgentProgram): Recipe {
  const found = RECIPES.find((recipe) => recipe.name === name);
  if (found === undefined) throw new Error(`no recipe for ${name}`);
  return found;
}

export const AGENTS: readonly AgentProgram[] = AGENT_PROGRAMS;
