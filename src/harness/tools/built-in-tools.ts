/** Every tool that comes with the harness. */
import { randomUUID } from "node:crypto";
import { type CommandToolOptions, createCommandTools } from "./commands/command-tools.ts";
import { createGitTools } from "./commands/git-tools.ts";
import { createLanguageTools } from "./everyday/language-tools.ts";
import { createNoteTools, type NoteStore } from "./everyday/note-tools.ts";
import { createThinkingTools } from "./everyday/thinking-tools.ts";
import { createPatchTool } from "./files/patch-tool.ts";
import { createReadTools } from "./files/read-tools.ts";
import { createSearchTools } from "./files/search-tools.ts";
import { createWriteTools } from "./files/write-tools.ts";
import type { Tool } from "./tool.ts";
import { createFetchTool, type FetchToolOptions } from "./web/fetch-tool.ts";

export interface BuiltInToolOptions extends CommandToolOptions, FetchToolOptions {
  /** Where notes are kept; unless told, they are gone with the run. */
  readonly notes?: NoteStore;
  readonly now?: () => number;
  readonly uuid?: () => string;
}

export function createBuiltInTools(options: BuiltInToolOptions): readonly Tool[] {
  const { now = Date.now, uuid = randomUUID } = options;
  return [
    ...createThinkingTools({ now, uuid }),
    ...createNoteTools(options.notes),
    ...createReadTools(),
    ...createSearchTools(),
    ...createWriteTools(),
    createPatchTool(),
    ...createCommandTools(options),
    ...createGitTools(options),
    createFetchTool(options),
    ...createLanguageTools(),
  ];
}
