/** `pawl.yaml` changes while its loops are served: what is wrong is told and changes nothing, what is new is served. */
import { createHmac } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createProject, eventually, type Project } from "../support/cli.ts";
import { jsonLines } from "../support/json-lines.ts";

const WITHIN_MS = 60_000;
const SECRET = "a secret of some length";
const QUICK = `version: 1
name: quick
policy: { allow: [ { action: file.append } ] }
stages:
  - { id: note, action: file.append, with: { path: count.txt, line: done } }
`;

interface Line {
  readonly type: string;
  readonly loop?: string;
  readonly code?: string;
  readonly message?: string;
  readonly url?: string | null;
  readonly loops?: number;
}

let project: Project;
beforeEach(() => {
  project = createProject({ "quick.yaml": QUICK, "other.yaml": QUICK, "secret.txt": SECRET, "src/a.txt": "a" });
});
afterEach(() => project.remove());

function serve() {
  const { child, ended } = project.start("serve", "--jsonl");
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout?.on("data", (chunk: string) => {
    text += chunk;
  });
  const told = (type: string): readonly Line[] => jsonLines<Line>(text).filter((line) => line.type === type);
  const ran = (loop: string): number => told("run.ended").filter((line) => line.loop === loop).length;
  return { child, ended, told, ran };
}

async function deliver(url: string, loop: string): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = `sha256=${createHmac("sha256", SECRET).update(`${timestamp}.one.{}`).digest("hex")}`;
  const headers = { "x-pawl-timestamp": timestamp, "x-pawl-delivery": "one", "x-pawl-signature": signature };
  return (await fetch(`${url}/hooks/${loop}`, { method: "POST", headers, body: "{}" })).status;
}

describe("a pawl.yaml that changes while it is served", () => {
  test("R7: is told with its place when it is wrong and what was read before stands; loops with files and webhooks that are new in it are served", async () => {
    project.write("pawl.yaml", "loops:\n  often: { blueprint: quick.yaml, every: 1s }\n");
    const { child, ended, told, ran } = serve();
    await eventually(() => ran("often") > 0, "it serves", WITHIN_MS);

    project.write("pawl.yaml", "loops:\n  often: { blueprint: quick.yaml, every: 1x }\n");
    await eventually(() => told("serve.problem").length > 0, "it is told", WITHIN_MS);
    expect(told("serve.problem")[0]).toMatchObject({
      code: "BLUEPRINT_DURATION_INVALID",
      message: expect.stringMatching(/^pawl\.yaml:2:42 every must be a duration/),
    });
    const before = ran("often");
    await eventually(() => ran("often") > before, "what was read before stands", WITHIN_MS);

    project.write(
      "pawl.yaml",
      `loops:
  other: { blueprint: other.yaml, every: 1s }
  hook: { blueprint: quick.yaml, webhook: { secret_file: secret.txt } }
  files: { blueprint: quick.yaml, watch: { files: ["src/**"] } }
`,
    );
    await eventually(() => told("serve.reloaded").length > 0, "it is read", WITHIN_MS);
    const [{ loops, url } = {}] = told("serve.reloaded");
    expect(loops).toBe(3);
    expect(await deliver(url ?? "", "hook")).toBe(202);
    await eventually(() => ran("hook") === 1 && ran("other") > 0, "what is new runs", WITHIN_MS);
    const stopped = ran("often");

    // Seen twice, a second apart, before it changes.
    await eventually(() => ran("other") > 3, "it has looked", WITHIN_MS);
    project.write("src/a.txt", "changed");
    await eventually(() => ran("files") === 1, "the change of files is one run", WITHIN_MS);
    expect(ran("often") - stopped).toBeLessThanOrEqual(1);

    // A blueprint that vanishes is told at each time, and the others go on.
    rmSync(join(project.root, "other.yaml"));
    await eventually(() => told("loop.failed").length > 0, "it is told that it is gone", WITHIN_MS);
    expect(told("loop.failed")[0]).toMatchObject({ loop: "other", code: "BLUEPRINT_FILE_UNREADABLE" });
    child.kill("SIGINT");
    expect((await ended).code).toBe(0);
    expect(told("serve.problem")).toHaveLength(1);
  });
});
