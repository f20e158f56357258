/** What a run, its files and its programs say may hide characters: no document and no stream of `--json` or `--jsonl` passes them on raw. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

/** Zero-width, a joiner, a tag, a direction, a control of eight bits, a separator of lines. */
const HIDDEN = "a\u200bb\u2060c\u{e0041}d\u202ee\u009bf\u2028g\ufeffh";
const UNSEEN = /[\u007f-\u009f\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u;
/** As YAML writes it between double quotes. */
const WRITTEN = [...HIDDEN]
  .map((character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`)
  .join("");
const BLUEPRINT = `version: 1
name: job
description: "${WRITTEN}"
params: { word: { type: string, default: "${WRITTEN}" } }
workspace: directory
policy: { allow: [{ run: [printf, "**"], because: "${WRITTEN}" }] }
stages:
  - { id: say, title: "${WRITTEN}", command: [printf, "%s", "\${params.word}"] }
  - id: ask
    gate: { approval: { question: "${WRITTEN}", expires: 1h } }
`;

let project: Project;
beforeEach(() => {
  project = createProject({ "job.yaml": BLUEPRINT, "bad.yaml": `version: 1\nname: "${HIDDEN}"\n${HIDDEN}: 1\n` });
});
afterEach(() => project.remove());

test("documents, lines of events and errors escape every character that a person would not see", async () => {
  expect(UNSEEN.test(HIDDEN)).toBe(true);
  const said: (readonly [string, string, string])[] = [];
  const call = async (...args: string[]): Promise<void> => {
    const { stdout, stderr } = await project.pawl(...args);
    said.push([args.join(" "), stdout, stderr]);
  };
  await call("run", "job.yaml", "--jsonl");
  await call("run", "job.yaml", "--json");
  for (const args of [
    ["plan", "job.yaml"],
    ["plan", "bad.yaml"],
    ["run", "bad.yaml"],
    ["run", `${HIDDEN}.yaml`],
    ["policy", "check", "--blueprint", "job.yaml", "--shell", `printf ${HIDDEN}`],
    ["policy", "show", "--blueprint", "job.yaml"],
    ["status"],
    ["show", "@last"],
    ["events", "@last"],
    ["logs", "@last"],
    ["approvals"],
    ["why"],
    ["list"],
    ["verify", "@last"],
    ["replay", "@last"],
    ["status", HIDDEN],
  ])
    await call(...args, "--json");
  await call("events", "@last", "--jsonl");
  expect(
    said.filter(([, stdout, stderr]) => UNSEEN.test(stdout + stderr)).map(([name]) => JSON.stringify(name)),
  ).toEqual([]);
  // The characters are there, as escapes: they were not lost on the way.
  const escaped = said.filter(([, stdout]) => stdout.includes("\\u200b") && stdout.includes("\\udb40\\udc41"));
  expect(escaped.length).toBeGreaterThan(8);
});
