/** Parts of the runtime: those that are made at once, and those that are loaded with their first use. */
import type { Artifacts } from "../../ports/artifacts.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Heartbeats } from "../../ports/heartbeats.ts";
import type { Mainline } from "../../ports/loops/mainline.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import type { Signer } from "../../ports/trust/signer.ts";
import type { McpParts } from "../mcp/mcp-actions.ts";
import type { GitParts } from "./git-calls.ts";

export interface EarlyParts {
  readonly root: string;
  readonly artifacts: Artifacts;
  readonly redact: (text: string) => string;
}

export interface LateParts {
  readonly sandbox: Sandbox;
  readonly heartbeats: Heartbeats;
  readonly executor: Executor;
  readonly git: GitParts;
  readonly signer: Signer;
  readonly mcp: McpParts["mcp"];
  readonly mainline: Mainline;
  /** Folders from which the user's git runs hooks, relative to the top of the repository. */
  readonly hooksFolders: () => Promise<readonly string[]>;
  /** Those of them that lie in the project, relative to it. */
  readonly hooksInProject: () => Promise<readonly string[]>;
}
