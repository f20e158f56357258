/** An agent where it works: in a workspace behind the wall, with a gateway in front of the scripted model API and nothing else. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listenIn } from "../../../src/adapters/egress/socket-folder.ts";
import { createSystemClock } from "../../../src/adapters/system/clock.ts";
import { gatewayVariables } from "../../../src/gateway/variables.ts";
import { ROUTE_SETTINGS } from "../../../src/limits/routes/settings.ts";
import type {
  AgentBackend,
  AgentEvent,
  AgentReport,
  AgentTask,
  Ruling,
  ToolCall,
} from "../../../src/ports/agents/agent-backend.ts";
import type { Executor } from "../../../src/ports/executor.ts";
import { BEHIND } from "../../../src/ports/sandbox.ts";
import { KEY, meteredIn, routerWith, type Standing, standingGateway } from "../gateway/fixture.ts";
import { modelApi } from "../model-api/fixture.ts";
import type { Script } from "../model-api/script.ts";
import type { ModelApi } from "../model-api/server.ts";
import { executorIn, makeFolder, requestOf, wallOf } from "../process-fixture.ts";

export interface Place {
  /** The workspace on this machine: a git repository with one commit. */
  readonly work: string;
  readonly home: string;
  readonly executor: Executor;
  readonly api: ModelApi;
  readonly gateway: Standing;
  taskOf(change?: Partial<AgentTask>): AgentTask;
}

export interface PlaceOptions {
  readonly script: Script;
  readonly files?: Readonly<Record<string, string>>;
  readonly tokens?: number;
}

/** To be called inside a test. */
export async function placeBehindWall({ script, files = {}, tokens = 1e9 }: PlaceOptions): Promise<Place> {
  const root = makeFolder();
  const [work, home] = [join(root, "work"), join(root, "home")];
  for (const folder of [work, home]) mkdirSync(folder);
  for (const [path, text] of Object.entries({ "README.md": "# A project\n", ...files })) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: work, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  const api = await modelApi(script, { key: KEY });
  const router = routerWith(ROUTE_SETTINGS, createSystemClock());
  const gateway = await standingGateway({ upstream: api.url, caps: { tokens }, router });
  const socket = await gateway.gateway.listenAt((server) => listenIn(join(root, "s"), server));
  const door = {
    env: gatewayVariables(`http://127.0.0.1:${BEHIND.modelsPort}`, gateway.token),
    socket,
    ...gateway.door,
  };
  const {
    argv: _argv,
    env: _env,
    capture: _capture,
    ...process
  } = requestOf([], {
    folder: work,
    wall: wallOf("workspace_write"),
    timeoutMs: 60_000,
  });
  const taskOf = (change: Partial<AgentTask> = {}): AgentTask => ({
    prompt: "Do what you are told.",
    system: null,
    model: "claude-sonnet-4-5",
    maxTurns: null,
    schema: null,
    toolset: null,
    settings: {},
    session: null,
    goesOn: null,
    home,
    round: 1,
    lastError: null,
    process,
    door,
    ...change,
  });
  return { work, home, executor: executorIn(root), api, gateway, taskOf };
}

export interface Lived {
  readonly report: AgentReport;
  readonly events: readonly AgentEvent[];
  readonly calls: readonly ToolCall[];
}

export interface LiveOptions {
  readonly decide?: (call: ToolCall) => Ruling;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
}

/** Runs the task once and keeps all that the host was told and asked. */
export async function live(backend: AgentBackend, task: AgentTask, options: LiveOptions = {}): Promise<Lived> {
  const events: AgentEvent[] = [];
  const calls: ToolCall[] = [];
  const host = {
    onEvent: (event: AgentEvent): void => {
      events.push(event);
      options.onEvent?.(event);
    },
    decide: async (call: ToolCall): Promise<Ruling> => {
      calls.push(call);
      return options.decide?.(call) ?? { answer: "allow" };
    },
  };
  const report = await backend.run(task, host, options.signal ?? new AbortController().signal);
  return { report, events, calls };
}

/** What the gateway metered, and what the API counted: the same, to the token. */
export function metered({ api, gateway }: Place): { readonly gateway: unknown; readonly api: unknown } {
  return { gateway: meteredIn(gateway), api: api.counted() };
}
