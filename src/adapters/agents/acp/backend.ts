/** AgentBackend for agents that speak ACP: those that we know, and any other by its command. */
import type { AgentBackend, AgentCapabilities } from "../../../ports/agents/agent-backend.ts";
import { probeProgram } from "../cli/probe.ts";
import { type CliOptions, type CliSettings, type ModelAddress, runCli } from "../cli/run-cli.ts";
import { workPlaceOf } from "../cli/work-place.ts";
import { commandIn, customPreset } from "./presets/custom.ts";
import { GEMINI } from "./presets/gemini.ts";
import { GROK } from "./presets/grok.ts";
import { OPENCODE } from "./presets/opencode.ts";
import type { AcpPreset } from "./presets/preset.ts";
import { createAcpSpeaker } from "./speaker.ts";

export interface AcpOptions extends CliOptions {
  /** Another place of the program than PATH. */
  readonly program?: string;
}

const PRESETS = { gemini: GEMINI, opencode: OPENCODE, grok: GROK } as const;

export type AcpName = keyof typeof PRESETS | "acp";

export const ACP_NAMES = [...(Object.keys(PRESETS) as (keyof typeof PRESETS)[]), "acp"] as const;

/** `acp` takes its command from `run` of each task. */
export function createAcpBackend(name: AcpName, options: AcpOptions): AgentBackend {
  const known = name === "acp" ? null : withProgram(PRESETS[name], options.program);
  const shown = known ?? customPreset([]);
  return {
    name,
    capabilities: capabilitiesOf(shown),
    probe: () => probeProgram(shown.program, options, shown.tested),
    async run(task, host, signal) {
      const preset = known ?? customPreset(commandIn(task.settings));
      const speaker = createAcpSpeaker(task, host, workPlaceOf(task.process), preset.plain);
      const settings = (models: ModelAddress): CliSettings => preset.settings({ ...models, model: task.model });
      const ended = await runCli(options, { spec: preset.program, settings, speaker, task }, signal);
      const output = speaker.output();
      const tokens = preset.reportsUsage ? speaker.tokens() : null;
      return {
        ...ended,
        text: speaker.text(),
        ...(output === undefined ? {} : { output }),
        session: speaker.session(),
        reported: tokens === null ? null : { tokens, microUsd: 0 },
      };
    },
  };
}

function withProgram(preset: AcpPreset, name: string | undefined): AcpPreset {
  return name === undefined ? preset : { ...preset, program: { ...preset.program, name } };
}

function capabilitiesOf({ oversight, resume, reportsUsage }: AcpPreset): AgentCapabilities {
  return { oversight, resume, defer: false, structuredOutput: false, reportsUsage, callsModels: true };
}
