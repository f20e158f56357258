/** The first program of the guide, and of the README where it has one: as short as promised, compiled and run as it stands. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { modelApi } from "../support/model-api/fixture.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const MOST_LINES = 15;

/** Whole programs that call `runAgent`. */
function programsIn(file: string): readonly string[] {
  const blocks = [...readFileSync(join(ROOT, file), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
  return blocks.map((block) => block[1] ?? "").filter((text) => /^import .*\brunAgent\b/m.test(text));
}

const PROGRAMS = ["docs/guides/run-agent.md", "README.md"].flatMap((file) =>
  programsIn(file).map((text) => [file, text] as const),
);

test("the guide has a first program", () => {
  expect(PROGRAMS.map(([file]) => file)).toContain("docs/guides/run-agent.md");
});

test.each(PROGRAMS)("the program of %s is short, compiles and runs", async (_, text) => {
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(MOST_LINES);
  // Inside the package, where its own name leads to what was built.
  const folder = mkdtempSync(join(ROOT, "dist", ".hello-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "hello.ts"), text);
  const flags =
    "--ignoreConfig --strict --module nodenext --target es2023 --skipLibCheck --types node --rootDir . --outDir .".split(
      " ",
    );
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const compiled = spawnSync(process.execPath, [tsc, ...flags, "hello.ts"], { cwd: folder, encoding: "utf8" });
  expect(compiled.stdout).toBe("");
  const api = await modelApi({
    steps: [{ tools: [{ name: "list_directory", args: { path: "." } }] }, { text: "A program." }],
  });
  const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "x", ANTHROPIC_BASE_URL: `${api.url}/v1` };
  const ran = await run(join(folder, "hello.js"), folder, env);
  expect(ran).toEqual({ status: 0, stdout: "completed A program.\n", stderr: "" });
  expect(api.calls().at(-1)?.body).toContain("hello.js");
});

/** Not `spawnSync`: the model answers from this process. */
async function run(file: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [file], { cwd, env });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  return { status, stdout, stderr };
}
