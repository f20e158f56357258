/** The files of an openloop workspace that people read: made from its config, which stays what counts. */

export interface Described {
  readonly mission: string;
  readonly commands: Readonly<Record<string, string>>;
  readonly baseline: string | null;
}

export const FOLDERS = ["logs", "artifacts", "knowledge", "output"] as const;

export function configText(mission: string, projectRoot: string): string {
  const config = {
    version: 1,
    mission,
    total_rounds: 3,
    project_root: projectRoot,
    commands: { play: "", scan: "", fix: "", verify: "", improve: "" },
    baseline: { enabled: false, command: "", metric_name: "score", value: 0.9, direction: "greater_equal" },
    limits: { command_timeout_seconds: 900, stall_timeout_seconds: 300, max_consecutive_failures: 3 },
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

export function describedFiles(described: Described): Readonly<Record<string, string>> {
  const { mission, commands, baseline } = described;
  const steps = Object.entries(commands).map(([step, text]) => `- ${step}: \`${text}\`\n`);
  return {
    "mission.md": `# Mission\n\n${mission}\n\nDone is what eval_criteria.md says; nothing else is.\n`,
    "loop_contract.md": `# Loop contract\n\nEvery round repairs what was found (fix, improve) and then plays, scans, verifies and measures the whole of it again.\n\n${steps.join("")}`,
    "eval_criteria.md": `# Completion\n\nComplete when all of these pass after the last change, without a timeout, a stall or a kill:\n\n${["play", "scan", "verify"].flatMap((step) => (commands[step] === undefined ? [] : [`- ${step}: \`${commands[step]}\`\n`])).join("")}${baseline === null ? "" : `- baseline: ${baseline}\n`}\nBlocked when too many rounds in a row have failed.\n`,
  };
}
