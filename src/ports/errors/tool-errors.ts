/** Why a tool of the harness could not be put into an agent, or a call of it came to nothing. */
import type { Catalogue } from "../../base/diagnostic.ts";

type OfTool = { tool: string };
type Problem = { tool: string; problem: string };

const NOT_RUN = "The tool was not run.";

export const TOOL_ERRORS = {
  TOOL_NAME_TAKEN: {
    what: (d: OfTool) => `There are two tools with the name ${d.tool}.`,
    why: "A call would not say which of them it means.",
    hint: "Give one of them another name.",
    retry: "after_change",
    exit: 3,
  },
  TOOL_NAME_UNFIT: {
    what: (d: OfTool) => `${d.tool} cannot be the name of a tool.`,
    why: "Providers of models take at most 64 letters, digits, _ and -, a letter first.",
    hint: "Choose another name.",
    retry: "after_change",
    exit: 3,
  },
  TOOL_SCHEMA_UNFIT: {
    what: (d: Problem) => `The input schema of ${d.tool} cannot be used: ${d.problem}.`,
    why: "Input that cannot be checked whole is not checked at all.",
    hint: "Write it with the keywords that docs/guides/tools.md lists, for an object.",
    retry: "after_change",
    exit: 3,
  },
  TOOLSET_UNKNOWN: {
    what: (d: { toolset: string }) => `There is no toolset ${d.toolset}.`,
    why: "An agent with an unknown toolset would have every tool, or none.",
    hint: (d: { nearest: string }) => `Did you mean ${d.nearest}? docs/guides/tools.md lists those that are built in.`,
    retry: "after_change",
    exit: 3,
  },
  TOOLSET_TOOL_UNKNOWN: {
    what: (d: { toolset: string; tool: string }) =>
      `The toolset ${d.toolset} names a tool that does not exist: ${d.tool}.`,
    why: "A name that means nothing is a slip, and the agent would miss what it needs.",
    hint: "Correct the name, register the tool, or write a pattern such as server__*.",
    retry: "after_change",
    exit: 3,
  },
  TOOL_SAVE_REFUSED: {
    what: (d: { agent: string; tool: string }) => `${d.agent} cannot be given the tool ${d.tool}.`,
    why: "Only an administrator may put this tool into an agent or a skill.",
    hint: "Leave the tool out, or let an administrator write it.",
    retry: "after_change",
    exit: 3,
  },
  TOOL_SHARE_REFUSED: {
    what: (d: { agent: string; tool: string; visibility: string }) =>
      `${d.agent} cannot be ${d.visibility} with the tool ${d.tool}.`,
    why: "Others would use the tool with the rights of whoever wrote the agent.",
    hint: "Keep it private, or leave the tool out.",
    retry: "after_change",
    exit: 3,
  },
  TOOL_UNKNOWN: {
    what: (d: OfTool) => `There is no tool ${d.tool}.`,
    why: NOT_RUN,
    hint: "Use one of the tools that are offered.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_OUTSIDE_SET: {
    what: (d: { tool: string; toolset: string }) => `${d.tool} is not in the toolset ${d.toolset}.`,
    why: NOT_RUN,
    hint: "Use one of the tools that are offered, or give the agent another toolset.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_CALLER_REFUSED: {
    what: (d: { tool: string; caller: string }) => `${d.caller} may not call ${d.tool}.`,
    why: "The tool is kept for others. It was not run.",
    hint: "Add the name of the agent or skill to those that may call the tool.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_INPUT_INVALID: {
    what: (d: Problem) => `The input of ${d.tool} does not fit: ${d.problem}.`,
    why: NOT_RUN,
    hint: "Correct the input and call it again.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_DENIED: {
    what: (d: Problem) => `${d.tool} was denied: ${d.problem}.`,
    why: NOT_RUN,
    hint: "Do it another way, or let a rule of the policy allow it.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_DEFERRED: {
    what: (d: Problem) => `${d.tool} waits for a person: ${d.problem}.`,
    why: NOT_RUN,
    hint: "Approve or deny the call; the run goes on then.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_FAILED: {
    what: (d: Problem) => `${d.tool} failed: ${d.problem}.`,
    why: "The tool itself says that it could not do what it was asked.",
    hint: "Read what went wrong and try something else.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_BROKEN: {
    what: (d: Problem) => `${d.tool} broke off: ${d.problem}.`,
    why: "A defect of the tool, or of what it works with. What it had done until then stays done.",
    hint: "Look at what it has done before calling it again.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_TIMED_OUT: {
    what: (d: { tool: string; seconds: number }) => `${d.tool} took more than ${d.seconds} seconds.`,
    why: "It was told to stop. What it had done until then stays done.",
    hint: "Ask for less at once.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_CANCELLED: {
    what: (d: OfTool) => `${d.tool} was cancelled.`,
    why: "The run is being stopped.",
    hint: "Nothing; resume the run to go on.",
    retry: "safe",
    exit: 1,
  },
  TOOL_ARTIFACT_LOST: {
    what: (d: Problem) => `What ${d.tool} made could not be kept: ${d.problem}.`,
    why: "The tool has run, and its result would name something that nobody can read.",
    hint: "See that artifacts can be stored, then call it again.",
    retry: "after_change",
    exit: 1,
  },
  TOOL_EVENT_LOST: {
    what: (d: Problem) => `What happened with ${d.tool} could not be recorded: ${d.problem}.`,
    why: "Nothing goes on that nobody can look up later.",
    hint: "See that events can be stored, then resume the run.",
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;
