/** Problems of MCP servers. */
import type { Catalogue } from "../../base/diagnostic.ts";

interface Server {
  server: string;
}
const accept = (d: Server): string =>
  `Look at its tools with \`pawl mcp list\`, then accept them with \`pawl mcp pin ${d.server}\`.`;

export const MCP_ERRORS = {
  MCP_SERVER_UNKNOWN: {
    what: (d: Server & { known: string }) => `No MCP server is named "${d.server}". Known: ${d.known}.`,
    why: "Servers are declared in `mcp` of pawl.yaml, and nowhere else.",
    hint: "Correct the name, or declare the server.",
    retry: "after_change",
    exit: 3,
  },
  MCP_SERVER_UNPINNED: {
    what: (d: Server) => `Nobody has accepted the MCP server "${d.server}" yet.`,
    why: "What a server says of its tools goes to a model, and what it is runs on your machine: a person looks at both first. It was not started.",
    hint: accept,
    retry: "after_change",
    exit: 1,
  },
  MCP_SERVER_CHANGED: {
    what: (d: Server) => `The MCP server "${d.server}" is declared otherwise than what was accepted.`,
    why: "Another program, network or environment is another server. It was not started.",
    hint: accept,
    retry: "after_change",
    exit: 1,
  },
  MCP_TOOLS_CHANGED: {
    what: (d: Server & { changes: string }) =>
      `The tools of the MCP server "${d.server}" are not those that were accepted: ${d.changes}.`,
    why: "A tool that changes what it says or takes after it was accepted can mislead a model. None of them was called.",
    hint: accept,
    retry: "after_change",
    exit: 1,
  },
  MCP_SERVER_FAILED: {
    what: (d: Server & { problem: string }) => `The MCP server "${d.server}" did not get to work: ${d.problem}.`,
    why: "Without its answer there are no tools of it.",
    hint: "Run its command by hand. Behind the wall it sees the project read-only, and only the hosts in its `network`.",
    retry: "safe",
    exit: 1,
  },
  MCP_PIN_UNREADABLE: {
    what: (d: Server & { problem: string }) => `What was accepted of "${d.server}" cannot be read: ${d.problem}.`,
    why: "Without it nobody can tell whether the server is still the same.",
    hint: (d: Server) => `Accept it again with \`pawl mcp pin ${d.server}\`.`,
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;
