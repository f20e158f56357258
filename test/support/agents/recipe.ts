/** How one agent program is run without a person: its settings, its words, and the calls that it understands. */
import type { AgentName } from "../../../scripts/agent-clis.ts";
import type { ToolUse } from "../model-api/script.ts";
import type { WireName } from "../model-api/wires/wire.ts";

export interface Place {
  /** The program; a `.js` file is run by Node. */
  readonly program: string;
  /** Its home, empty, of its own. */
  readonly home: string;
  /** A git repository with one commit. */
  readonly work: string;
  /** Where its model is: without a path. */
  readonly url: string;
  /** What it holds for a key. */
  readonly token: string;
}

export interface Run {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Path → text; absolute. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Recipe {
  readonly name: AgentName;
  readonly wire: WireName;
  /** Another model that it asks for things of its own. */
  readonly sideModel?: string;
  run(place: Place, task: string): Run;
  /** The call of its tool that writes a file. */
  write(path: string, content: string): ToolUse;
}
