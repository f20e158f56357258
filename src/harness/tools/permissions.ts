/** Three stages of permission: when an agent is written, when it is shared, and when it calls. Policy comes after them. */
import { pawlError } from "../../base/errors.ts";
import { TOOL_ERRORS } from "../../ports/errors/tool-errors.ts";
import type { Tool } from "./tool.ts";

/** Whoever a tool is given to: an agent or a skill. */
export interface ToolHolder {
  readonly name: string;
  /** By whom it was written. */
  readonly author: "anyone" | "admin";
  readonly visibility: "private" | "shared" | "public";
}

/** Tools that only some may call: the name of a tool → names of agents and skills. A tool that is not listed is for all. */
export type ToolCallers = Readonly<Record<string, readonly string[]>>;

/** Throws TOOL_SAVE_REFUSED. */
export function checkSave({ name, author }: ToolHolder, tools: readonly Tool[]): void {
  const kept = tools.find((tool) => tool.authoring === "admin");
  if (kept !== undefined && author !== "admin")
    throw pawlError(TOOL_ERRORS, "TOOL_SAVE_REFUSED", { agent: name, tool: kept.name });
}

/** Throws TOOL_SHARE_REFUSED. */
export function checkShare({ name, visibility }: ToolHolder, tools: readonly Tool[]): void {
  const unsafe = tools.find((tool) => tool.safeToShare !== true);
  if (unsafe !== undefined && visibility !== "private")
    throw pawlError(TOOL_ERRORS, "TOOL_SHARE_REFUSED", { agent: name, tool: unsafe.name, visibility });
}

export function mayCall({ name }: ToolHolder, tool: string, callers: ToolCallers): boolean {
  return !Object.hasOwn(callers, tool) || callers[tool]?.includes(name) === true;
}
