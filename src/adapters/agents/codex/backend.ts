/** AgentBackend for Codex, by `codex app-server`. */
import type { AgentBackend } from "../../../ports/agents/agent-backend.ts";
import type { ProgramSpec } from "../cli/find-program.ts";
import { heedModels } from "../cli/heed-models.ts";
import { probeProgram, type TestedVersions } from "../cli/probe.ts";
import { type CliOptions, runCli } from "../cli/run-cli.ts";
import { workPlaceOf } from "../cli/work-place.ts";
import { codexSettings } from "./settings.ts";
import { CODEX } from "./signature.ts";
import { createCodexSpeaker } from "./speaker.ts";

const TARGET = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-musl`;
const PROGRAM: ProgramSpec = {
  name: "codex",
  native: [{ pkg: `@openai/codex-${process.platform}-${process.arch}`, path: `vendor/${TARGET}/bin/codex` }],
};
const TESTED: TestedVersions = {
  title: "Codex",
  install: "npm install -g @openai/codex",
  range: ["0.166.0", "0.166.0"],
};

export function createCodexBackend(options: CliOptions): AgentBackend {
  return heedModels({
    ...CODEX,
    probe: () => probeProgram(PROGRAM, options, TESTED),
    async run(task, host, signal) {
      const place = workPlaceOf(task.process);
      const speaker = createCodexSpeaker(task, host, place);
      const settings = (models: Parameters<typeof codexSettings>[0]) => codexSettings(models, place.cwd);
      const ended = await runCli(options, { spec: PROGRAM, settings, speaker, task }, signal);
      return { ...ended, text: speaker.text(), session: speaker.session(), reported: speaker.reported() };
    },
  });
}
