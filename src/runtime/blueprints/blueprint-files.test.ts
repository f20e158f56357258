import { closeSync, mkdirSync, openSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blueprintText, makePipe, ONE_STAGE, pathsBelow, projectFolder } from "../../../test/support/project-folder.ts";
import { blueprintFiles } from "./blueprint-files.ts";

const described = (name: string): string => blueprintText(name, `description: does ${name}\n${ONE_STAGE}`);

describe("blueprintFiles", () => {
  it("finds those of the root and of both folders, in order, and nothing else", async () => {
    const root = projectFolder({
      "pawl/z.yaml": described("last"),
      "blueprints/b.yaml": described("second"),
      "blueprints/a.yaml": blueprintText("first", ONE_STAGE),
      "blueprint.yaml": described("root"),
      "other.yaml": described("other"),
      "blueprints/deep/c.yaml": described("deep"),
      "blueprints/notes.md": "",
      "blueprints/d.yml": described("yml"),
    });
    const before = pathsBelow(root);
    expect(await blueprintFiles(root)).toEqual([
      { path: "blueprint.yaml", name: "root", description: "does root", problems: [] },
      { path: "blueprints/a.yaml", name: "first", description: null, problems: [] },
      { path: "blueprints/b.yaml", name: "second", description: "does second", problems: [] },
      { path: "pawl/z.yaml", name: "last", description: "does last", problems: [] },
    ]);
    expect(pathsBelow(root)).toEqual(before);
  });

  it("finds none in an empty project, and none in one that is not there", async () => {
    const root = projectFolder();
    expect(await blueprintFiles(root)).toEqual([]);
    expect(await blueprintFiles(join(root, "not/there"))).toEqual([]);
  });

  it("shows one with problems under the name of its file", async () => {
    const root = projectFolder({
      "blueprints/bad.yaml": "version: 1\nname: good\nstagess: []\n",
      "pawl/empty.yaml": "",
    });
    const found = await blueprintFiles(root);
    expect(found.map(({ name, description }) => [name, description])).toEqual([
      ["bad", null],
      ["empty", null],
    ]);
    for (const { path, problems } of found) {
      expect(problems.length).toBeGreaterThan(0);
      for (const problem of problems) expect(problem.where?.file).toBe(path);
    }
  });

  it("shows the problem of one that is not text or far too large, without reading it as if it were", async () => {
    const bytes = Buffer.concat([Buffer.from(described("bytes")), Buffer.from([0x23, 0xff])]);
    const root = projectFolder({ "pawl/bytes.yaml": bytes, "pawl/huge.yaml": "#".repeat((1 << 20) + 1) });
    const found = await blueprintFiles(root);
    expect(found.map(({ name, problems }) => [name, problems.map(({ code }) => code)])).toEqual([
      ["bytes", ["BLUEPRINT_FILE_NOT_TEXT"]],
      ["huge", ["BLUEPRINT_FILE_HUGE"]],
    ]);
  });

  it("passes over folders, dead links and pipes", async () => {
    const root = projectFolder({ "pawl/a.yaml": described("a") });
    mkdirSync(join(root, "pawl/folder.yaml"));
    symlinkSync("nowhere", join(root, "pawl/link.yaml"));
    makePipe(join(root, "pawl/pipe.yaml"));
    const late = new Promise<string>((resolve) => setTimeout(resolve, 1000, "hangs"));
    const found = await Promise.race([blueprintFiles(root), late]);
    // Whoever opened the pipe is let go.
    closeSync(openSync(join(root, "pawl/pipe.yaml"), "r+"));
    expect(found).toEqual([expect.objectContaining({ name: "a" })]);
  });
});
