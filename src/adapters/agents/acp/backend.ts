/** AgentBackend for agents that speak ACP: those that we know, and any other by its command. */
import type { AgentBackend } from "../../../ports/agents/agent-backend.ts";
import { heedModels } from "../cli/heed-models.ts";
import { probeProgram } from "../cli/probe.ts";
import { type CliOptions, type CliSettings, type ModelAddress, runCli } from "../cli/run-cli.ts";
import { workPlaceOf } from "../cli/work-place.ts";
import { commandIn, customPreset } from "./custom.ts";
import { GEMINI } from "./gemini.ts";
import { GROK } from "./grok.ts";
import { OPENCODE } from "./opencode.ts";
import { createAcpSpeaker } from "./speaker.ts";

const PRESETS = { gemini: GEMINI, opencode: OPENCODE, grok: GROK } as const;

/** `acp` takes its command from `run` of each task. */
export function createAcpBackend(name: keyof typeof PRESETS | "acp", options: CliOptions): AgentBackend {
  const known = name === "acp" ? null : PRESETS[name];
  const { signature, program, tested } = known ?? customPreset([]);
  return heedModels({
    ...signature,
    probe: () => probeProgram(program, options, tested),
    async run(task, host, signal) {
      const preset = known ?? customPreset(commandIn(task.settings));
      const speaker = createAcpSpeaker(task, host, workPlaceOf(task.process), preset.plain);
      const settings = (models: ModelAddress): CliSettings => preset.settings({ ...models, model: task.model });
      const ended = await runCli(options, { spec: preset.program, settings, speaker, task }, signal);
      const tokens = signature.capabilities.reportsUsage ? speaker.tokens() : null;
      return {
        ...ended,
        text: speaker.text(),
        session: speaker.session(),
        reported: tokens === null ? null : { tokens, microUsd: 0 },
      };
    },
  });
}
