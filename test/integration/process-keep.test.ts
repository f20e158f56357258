/** Files that a process writes and its author wants to keep; the process is hostile to that. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, test } from "vitest";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { MOST_KEPT } from "../../src/adapters/process/take/keep.ts";
import type { SandboxMode } from "../../src/blueprint/blueprint.ts";
import type { ProcessReport, ProcessRequest } from "../../src/ports/executor.ts";
import { executorIn, makeFolder, removeFolders, shell, wallOf } from "../support/process-fixture.ts";

afterEach(removeFolders);

const PNG = "\\211PNG\\r\\n\\032\\n";

describe.each<SandboxMode>(["danger_full_access", "workspace_write"])("what a process shall keep, %s", (mode) => {
  const place = () => {
    const root = makeFolder();
    const folder = join(root, "work");
    mkdirSync(folder);
    const artifacts = createMemoryArtifacts({ maxBytes: 128 << 20 });
    const redact = (text: string): string => text.replaceAll("s3cret-value", "[redacted:secret]");
    const executor = executorIn(root, { artifacts, redact });
    const run = (script: string, change: Partial<ProcessRequest> = {}): Promise<ProcessReport> =>
      executor.execute(
        shell(script, { folder, wall: wallOf(mode), keep: ["output/**"], ...change }),
        new AbortController().signal,
        () => undefined,
      );
    const texts = async (report: ProcessReport): Promise<Readonly<Record<string, string>>> =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(report.artifacts).map(async ([name, { sha256 }]) => [
            name,
            Buffer.from(await artifacts.get(sha256)).toString("latin1"),
          ]),
        ),
      );
    return { root, folder, artifacts, run, texts };
  };

  test.each([
    ["ends well", "true", "ok"],
    ["fails", "exit 3", "exit"],
    ["is cut off", "sleep 60", "timeout"],
  ])("I11: is stored by its path when it %s", async (_, end, cause) => {
    const { run, texts } = place();
    const script = `printf '${PNG}' > output/shot.png; mkdir output/a; printf b > output/a/b; printf c > other; ${end}`;
    const report = await run(script, { timeoutMs: cause === "timeout" ? 500 : 20_000 });
    expect([report.cause, await texts(report), report.unkept]).toEqual([
      cause,
      { "./output/a/b": "b", "./output/shot.png": "\x89PNG\r\n\x1a\n" },
      undefined,
    ]);
  });

  it("is only what it has written", async () => {
    const { run, texts, folder } = place();
    mkdirSync(join(folder, "output"));
    for (const name of ["old", "again", "changed"]) writeFileSync(join(folder, "output", name), "1");
    const script =
      "printf 1 > output/again; printf 2 > output/changed; touch -d @0 output/changed; printf n > output/new";
    expect(await texts(await run(script))).toEqual({
      "./output/again": "1",
      "./output/changed": "2",
      "./output/new": "n",
    });
  });

  it("is found by every form of glob, and git data is none of it", async () => {
    const { run, texts } = place();
    const script =
      "mkdir -p a/b .hidden; for at in x.png a/y.png a/b/z.png a/b/z.txt .hidden/h.png; do printf 1 > $at; done";
    const names = async (keep: readonly string[]): Promise<readonly string[]> =>
      Object.keys(await texts(await run(script, { keep }))).sort();
    expect(await names(["**/*.png"])).toEqual(["./.hidden/h.png", "./a/b/z.png", "./a/y.png", "./x.png"]);
    expect(await names(["{a/b,c}/*", "x.png"])).toEqual(["./a/b/z.png", "./a/b/z.txt", "./x.png"]);
    const git = "mkdir -p sub/.git; printf 1 > sub/.git/config; printf 1 > sub/ok";
    expect(Object.keys((await run(git, { keep: ["sub/**"] })).artifacts)).toEqual(["./sub/ok"]);
  });

  it("never leads out: links, their targets and what is no file are left out and counted", async () => {
    const { run, texts, root } = place();
    writeFileSync(join(root, "secret"), "secret");
    mkdirSync(join(root, "outside"));
    writeFileSync(join(root, "outside", "secret"), "secret");
    const script =
      "ln -s ../../secret output/a; ln -s ../../outside output/b; ln -s /etc/hostname output/c; mkfifo output/d; printf e > output/e";
    const report = await run(script);
    expect([await texts(report), report.unkept]).toEqual([{ "./output/e": "e" }, 4]);
  });

  it("never leads out by a folder that is a link, before or after", async () => {
    const { run, root, folder } = place();
    mkdirSync(join(root, "outside"));
    writeFileSync(join(root, "outside", "secret"), "secret");
    symlinkSync("../outside", join(folder, "output"));
    expect(await run("true", { keep: ["output/**", "output/deeper/**"] })).toMatchObject({ artifacts: {} });
    expect(readdirSync(join(root, "outside"))).toEqual(["secret"]);
    const other = place();
    mkdirSync(join(other.root, "outside"));
    writeFileSync(join(other.root, "outside", "secret"), "secret");
    expect((await other.run("rm -r output; ln -s ../outside output")).artifacts).toEqual({});
  });

  it("may have any name, and a secret in one is masked", async () => {
    const { run, texts } = place();
    const script = [
      "printf 1 > output/__proto__",
      "printf 2 > \"$(printf 'output/a\\nb\\033[31m')\"",
      "printf 3 > 'output/..\\..\\x'",
      "printf 4 > \"$(printf 'output/\\377')\"",
      "printf 5 > output/s3cret-value",
    ].join("; ");
    const report = await run(script);
    expect(await texts(report)).toEqual({
      "./output/..\\..\\x": "3",
      "./output/[redacted:secret]": "5",
      "./output/__proto__": "1",
      "./output/a\nb\x1b[31m": "2",
    });
    expect(report.unkept).toBe(1);
    const long = "d=output; for i in 1 2 3 4; do d=$d/$(printf %0200d 1); mkdir $d; done; printf 1 > $d/x";
    expect(await run(long)).toMatchObject({ artifacts: {}, unkept: 1 });
  });

  it("is bounded in number and bytes, and what is left out is counted", async () => {
    const { run } = place();
    const many = await run(`i=0; while [ $i -lt ${MOST_KEPT.files + 7} ]; do : > output/$i; i=$((i+1)); done`);
    expect([Object.keys(many.artifacts).length, many.unkept]).toEqual([MOST_KEPT.files, 7]);
    const large = `truncate -s ${MOST_KEPT.bytes + 1} output/a; truncate -s ${MOST_KEPT.bytes} output/b; printf 1 > output/c`;
    const bytes = await run(large);
    expect([Object.keys(bytes.artifacts), bytes.unkept]).toEqual([["./output/b"], 2]);
  });

  it("does not keep its host busy with folders without end", async () => {
    const { run } = place();
    const script = "cd output; mkdir d; cd d; seq 11000 | xargs touch; printf 1 > ../shot.png";
    const report = await run(script, { keep: ["output/**/*.png"] });
    expect([Object.keys(report.artifacts), report.unkept]).toEqual([["./output/shot.png"], 1]);
  });

  it("does not make folders in the project itself", async () => {
    const { run, root } = place();
    const report = await run("mkdir output && printf 1 > output/a", { folder: null });
    expect(Object.keys(report.artifacts)).toEqual(["./output/a"]);
    await run("true", { folder: null, keep: ["made/**"] });
    expect(existsSync(join(root, "made"))).toBe(false);
  });
});
