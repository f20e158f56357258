/** Real processes on one text that they share: none of them loses a line of another, and one that is killed holds nobody up. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createProjectTexts } from "../../src/adapters/files/project-texts.ts";
import { inTurn } from "../../src/adapters/sqlite/file/turns-at-file.ts";
import { bundleChild } from "../support/bundle-child.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROCESSES = 4;
const LINES = 40;
let script = "";

beforeAll(async () => {
  const { file, remove } = await bundleChild("test/support/shared-texts-child.ts");
  script = file;
  return remove;
});

function start(...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("a text that several processes share", () => {
  it.each(["loop-run-log.md", "STATE.md"])(
    "J11: %s loses no line, whoever writes at the same time",
    async (path) => {
      const [project, lock] = [tempDir(), join(tempDir(), "state", "texts.lock")];
      writeFileSync(join(project, path), "# ours\r\nno line of a loop\n");
      const names = Array.from({ length: PROCESSES }, (_, index) => `process-${index}`);
      const ends = names.map((name) => once(start(project, lock, path, name, String(LINES)), "exit"));
      expect((await Promise.all(ends)).map(([code]) => code as number)).toEqual(names.map(() => 0));
      const [head, foreign, ...lines] = readFileSync(join(project, path), "utf8").split("\n");
      expect([head, foreign, lines.pop()]).toEqual(["# ours\r", "no line of a loop", ""]);
      // Each in its own order, and none lost.
      for (const name of names)
        expect(lines.filter((line) => line.startsWith(`${name} `))).toEqual(
          Array.from({ length: LINES }, (_, line) => `${name} ${line}`),
        );
      expect(lines).toHaveLength(PROCESSES * LINES);
      expect(readdirSync(project)).toEqual([path]);
    },
    60_000,
  );

  it("is nobody's the instant its holder is killed", async () => {
    const lock = join(tempDir(), "texts.lock");
    const holder = start("", lock, "", "", "0", "hold");
    await once(holder.stdout as NodeJS.ReadableStream, "data");
    let hadTurn = false;
    const turn = inTurn(lock, async () => {
      hadTurn = true;
      return 7;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(hadTurn).toBe(false);
    holder.kill("SIGKILL");
    expect(await turn).toEqual({ of: 7 });
  });

  it("is the next one's turn when the work of one goes wrong", async () => {
    const lock = join(tempDir(), "texts.lock");
    await expect(inTurn(lock, () => Promise.reject(new Error("a defect")))).rejects.toThrow("a defect");
    expect(await inTurn(lock, async () => "next")).toEqual({ of: "next" });
  });
});

describe("a text of a project", () => {
  const place = (bytes: string | Uint8Array | null, alone?: (work: () => Promise<void>) => Promise<object | null>) => {
    const project = tempDir();
    const file = join(project, "STATE.md");
    if (bytes !== null) writeFileSync(file, bytes, { mode: 0o640 });
    const turn = async (work: () => Promise<void>) => ({ of: await work() });
    return { file, texts: createProjectTexts({ root: project, hooksFolders: async () => [], alone: alone ?? turn }) };
  };
  const busy = { code: "FILE_BUSY" };

  it("is edited again with what a person wrote meanwhile", async () => {
    const { file, texts } = place("one\n");
    const seen: (string | null)[] = [];
    await texts.change("STATE.md", (text) => {
      if (seen.push(text) === 1) writeFileSync(file, "one\nby hand\n");
      return `${text}loop\n`;
    });
    expect(seen).toEqual(["one\n", "one\nby hand\n"]);
    expect(readFileSync(file, "utf8")).toBe("one\nby hand\nloop\n");
  });

  it("is left to people who never stop writing, and to whoever never gives way", async () => {
    const { file, texts } = place("0");
    let round = 0;
    const change = texts.change("STATE.md", (text) => {
      writeFileSync(file, `by hand ${++round}`);
      return `${text}loop\n`;
    });
    await expect(change).rejects.toMatchObject(busy);
    expect(readFileSync(file, "utf8")).toBe(`by hand ${round}`);
    await expect(place(null, async () => null).texts.change("STATE.md", () => "x")).rejects.toMatchObject(busy);
  });

  it("keeps its mode, a byte order mark and every line end, and is not touched where nothing changes", async () => {
    const { file, texts } = place("\ufeffa\r\nb\rc");
    await texts.change("STATE.md", (text) => `${text}\nd`);
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["\ufeffa\r\nb\rc\nd", 0o640]);
    const { ino } = statSync(file);
    await texts.change("STATE.md", (text) => text ?? "");
    expect(statSync(file).ino).toBe(ino);
  });

  it("is refused where it is no text, so that no byte of it is lost", async () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0x0a);
    const { file, texts } = place(bytes);
    await expect(texts.change("STATE.md", () => "x")).rejects.toMatchObject({ code: "FILE_NOT_TEXT" });
    expect(new Uint8Array(readFileSync(file))).toEqual(bytes);
  });
});
