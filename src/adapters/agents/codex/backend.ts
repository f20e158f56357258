/** AgentBackend for Codex, by `codex app-server`. */
import type { AgentBackend, AgentCapabilities } from "../../../ports/agents/agent-backend.ts";
import type { ProgramSpec } from "../cli/find-program.ts";
import { probeProgram, type TestedVersions } from "../cli/probe.ts";
import { type CliOptions, runCli } from "../cli/run-cli.ts";
import { workPlaceOf } from "../cli/work-place.ts";
import { codexSettings } from "./settings.ts";
import { createCodexSpeaker } from "./speaker.ts";

export interface CodexOptions extends CliOptions {
  /** Another place of the program than PATH. */
  readonly program?: string;
}

const TARGET = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-musl`;
const NATIVE: NonNullable<ProgramSpec["native"]> = [
  { pkg: `@openai/codex-${process.platform}-${process.arch}`, path: `vendor/${TARGET}/bin/codex` },
];
const TESTED: TestedVersions = {
  title: "Codex",
  install: "npm install -g @openai/codex",
  range: ["0.166.0", "0.166.0"],
};

const CAPABILITIES: AgentCapabilities = {
  oversight: {
    read: "mediated",
    edit: "mediated",
    run: "mediated",
    fetch: "contained",
    mcp: "contained",
    tool: "contained",
  },
  resume: true,
  defer: false,
  structuredOutput: true,
  reportsUsage: true,
  callsModels: true,
};

export function createCodexBackend(options: CodexOptions): AgentBackend {
  const spec = { name: options.program ?? "codex", native: NATIVE };
  return {
    name: "codex",
    capabilities: CAPABILITIES,
    probe: () => probeProgram(spec, options, TESTED),
    async run(task, host, signal) {
      const place = workPlaceOf(task.process);
      const speaker = createCodexSpeaker(task, host, place);
      const settings = (models: Parameters<typeof codexSettings>[0]) => codexSettings(models, place.cwd);
      const ended = await runCli(options, { spec, settings, speaker, task }, signal);
      const output = speaker.output();
      return {
        ...ended,
        text: speaker.text(),
        ...(output === undefined ? {} : { output }),
        session: speaker.session(),
        reported: speaker.reported(),
      };
    },
  };
}
