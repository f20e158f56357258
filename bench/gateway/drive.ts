/** Clients of the bench of the gateway: one after the other, and many streams at once. */
import { fork } from "node:child_process";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import type { Served } from "./serve.ts";

const SERVE = fileURLToPath(new URL("./serve.ts", import.meta.url));

export interface Server extends Served {
  /** Resident memory after a collection. */
  rss(): Promise<number>;
  stop(): void;
}

export async function serve(role: "provider" | "plain" | "gateway", upstream = "", dir = ""): Promise<Server> {
  const child = fork(SERVE, [role, upstream, dir], {
    execArgv: ["--expose-gc", "--import", import.meta.resolve("tsx")],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      child.once("message", (message) => resolve(message as T));
      child.once("exit", (code) => reject(new Error(`${role} ended with ${code}`)));
    });
  const served = await next<Served>();
  return {
    ...served,
    rss: () => {
      const answer = next<number>();
      child.send("rss");
      return answer;
    },
    stop: () => void child.kill(),
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 64 });

interface Read {
  readonly bytes: number;
  readonly ms: number;
}

function call({ url, token }: Served, body: object): Promise<Read> {
  const from = performance.now();
  const text = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages: [], ...body });
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "x-api-key": token,
      "content-length": Buffer.byteLength(text),
    };
    const outgoing = request(`${url}/v1/messages`, { method: "POST", agent, headers }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve({ bytes, ms: performance.now() - from });
        else reject(new Error(`status ${answer.statusCode}`));
      });
      answer.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

/** Milliseconds of each of so many small calls, one after the other. */
export async function latencies(server: Served, calls: number): Promise<readonly number[]> {
  const all: number[] = [];
  for (let done = 0; done < calls; done += 1) all.push((await call(server, {})).ms);
  return all;
}

/** Megabytes a second of so many streams at once. */
export async function throughput(server: Served, streams: number, packets: number): Promise<number> {
  const from = performance.now();
  const body = { stream: true, metadata: { packets } };
  const read = await Promise.all(Array.from({ length: streams }, () => call(server, body)));
  const bytes = read.reduce((sum, each) => sum + each.bytes, 0);
  return bytes / 1e6 / ((performance.now() - from) / 1000);
}
