/** The hands of a scripted agent: a small program behind the wall that does what it is told over its standard input. */
import type { JsonObject } from "../../../base/json.ts";
import { createLineReader } from "../../../base/text/lines.ts";
import type { Dialogue } from "../../../ports/executor.ts";

/** One line in, one line out. What programs print that it starts goes to its standard error. */
export const HANDS = `
const fs = require("node:fs"), path = require("node:path"), net = require("node:net");
const { spawn } = require("node:child_process");
const work = {
  read: ({ path: file }) => String(fs.readFileSync(file).length) + " bytes",
  edit({ path: file, find, put }) {
    const parts = fs.readFileSync(file, "utf8").split(find);
    if (parts.length !== 2) throw new Error("the text is there " + (parts.length - 1) + " times");
    fs.writeFileSync(file, parts.join(put));
    return "changed";
  },
  write({ path: file, text }) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    return "written";
  },
  remove({ path: file }) { fs.rmSync(file); return "removed"; },
  run: ({ argv }) => new Promise((done, fail) => {
    const child = spawn(argv[0], argv.slice(1), { stdio: ["ignore", 2, 2] });
    child.on("error", fail);
    child.on("close", (code, signal) => code === 0 ? done("exit 0") : fail(new Error("ended with " + (signal || "exit " + code))));
  }),
  fetch: ({ host, port }) => new Promise((done, fail) => {
    const socket = net.connect({ host, port, timeout: 2000 });
    socket.on("connect", () => { socket.destroy(); done("connected"); });
    socket.on("timeout", () => { socket.destroy(); fail(new Error("no answer")); });
    socket.on("error", fail);
  }),
  hang: () => new Promise(() => setInterval(() => {}, 1 << 30)),
};
const say = (line) => process.stdout.write(JSON.stringify(line) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const { does, ...input } = JSON.parse(line);
  try { say({ ok: true, summary: String(await work[does](input)) }); }
  catch (error) { say({ ok: false, summary: String(error.message) }); }
});
say({ ready: true });
`;

export interface Done {
  readonly ok: boolean;
  readonly summary: string;
}

export interface Hands {
  readonly dialogue: Dialogue;
  /** Resolves when the program answers. */
  readonly ready: Promise<void>;
  /** null: the program is gone. */
  do(does: string, input: JsonObject): Promise<Done | null>;
  /** Nothing more is to be done: the program ends. */
  end(): void;
  /** The program has ended. */
  over(): void;
}

const LONGEST_LINE = 1_000_000;

export function createHands(): Hands {
  const lines = createLineReader(LONGEST_LINE);
  let input: Parameters<Dialogue["begin"]>[0] | null = null;
  let isOver = false;
  let answer: (done: Done | null) => void = () => undefined;
  let begun: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    begun = resolve;
  });
  return {
    dialogue: {
      begin(talk) {
        input = talk;
      },
      onOutput(chunk) {
        for (const line of lines.take(chunk)) {
          const said = JSON.parse(line) as Done | { readonly ready: true };
          if ("ready" in said) begun();
          else answer(said);
        }
      },
    },
    ready,
    async do(does, given) {
      if (isOver || input === null) return null;
      const answered = new Promise<Done | null>((resolve) => {
        answer = resolve;
      });
      await input.send(`${JSON.stringify({ does, ...given })}\n`);
      return answered;
    },
    end: () => input?.end(),
    over() {
      isOver = true;
      begun();
      answer(null);
    },
  };
}
