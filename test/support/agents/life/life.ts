/**
 * One life of an agent backend as the kernel gives it: a repository, a home, a wall, and a door to the gateway in front of the
 * scripted model API. Nothing else can be reached from behind that wall.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { listenIn } from "../../../../src/adapters/egress/socket-folder.ts";
import { createMemoryArtifacts } from "../../../../src/adapters/memory/artifacts.ts";
import { createMemoryCallRecords } from "../../../../src/adapters/memory/models/call-records.ts";
import { createSystemClock } from "../../../../src/adapters/system/clock.ts";
import { createModelAccess } from "../../../../src/gateway/access.ts";
import { ROUTE_SETTINGS } from "../../../../src/limits/routes/settings.ts";
import type {
  AgentBackend,
  AgentEvent,
  AgentReport,
  AgentTask,
  Ruling,
  ToolCall,
} from "../../../../src/ports/agents/agent-backend.ts";
import type { Executor } from "../../../../src/ports/executor.ts";
import type { ModelUse } from "../../../../src/ports/models/model-access.ts";
import { ACCOUNT, KEY, meteredIn, routerWith, type Standing, standingGateway } from "../../gateway/fixture.ts";
import { modelApi } from "../../model-api/fixture.ts";
import type { Script, Tokens } from "../../model-api/script.ts";
import type { ModelApi } from "../../model-api/server.ts";
import { executorIn, requestOf, wallOf } from "../../process-fixture.ts";
import { tempDir } from "../../temp-dir.ts";

export interface Lived {
  readonly report: AgentReport;
  readonly events: readonly AgentEvent[];
  /** What was asked, in order. */
  readonly asked: readonly ToolCall[];
  readonly use: ModelUse;
  /** As the gateway read them. */
  readonly metered: Tokens;
}

export interface LifeOptions {
  readonly script: Script;
  /** Of one attempt. */
  readonly tokens?: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly executor?: (executor: Executor) => Executor;
}

export interface Turn {
  readonly task?: Partial<AgentTask>;
  readonly decide?: (call: ToolCall) => Ruling | Promise<Ruling>;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
}

export interface Life {
  readonly api: ModelApi;
  readonly work: string;
  readonly home: string;
  readonly executor: Executor;
  run(backend: AgentBackend, turn?: Turn): Promise<Lived>;
}

const ALLOW: Ruling = { answer: "allow" };
const MOST = 1e9;

/** To be called inside a test. */
export async function agentLife(options: LifeOptions): Promise<Life> {
  const root = tempDir();
  const [work, home, sockets] = ["work", "home", "s"].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [work, home, sockets]) mkdirSync(folder);
  makeRepository(work, options.files ?? {});
  const api = await modelApi(options.script, { key: KEY });
  const plain = executorIn(root, { graceMs: 1200 });
  const executor = options.executor?.(plain) ?? plain;
  let attempts = 0;
  return {
    api,
    work,
    home,
    executor,
    run: async (backend, { task = {}, decide = () => ALLOW, signal, onEvent } = {}) => {
      attempts += 1;
      const { standing, access } = await openGateway(api.url, join(sockets, String(attempts)));
      const door = await access.open({
        ...{ key: `${ACCOUNT.name}/${attempts}`, accounts: [ACCOUNT], priority: 0, calls: null, providers: null },
        caps: [{ account: ACCOUNT, unit: "tokens", window: "run", amount: options.tokens ?? MOST, source: "the test" }],
        record: false,
      });
      const {
        argv: _,
        env: __,
        capture: ___,
        ...process
      } = requestOf([], {
        ...{ folder: work, wall: wallOf("workspace_write"), timeoutMs: 120_000, attempt: attempts },
      });
      const events: AgentEvent[] = [];
      const asked: ToolCall[] = [];
      const report = await backend.run(
        { ...PLAIN_TASK, home, process, door, ...task },
        {
          onEvent: (event) => {
            events.push(event);
            onEvent?.(event);
          },
          decide: async (call) => {
            asked.push(call);
            return decide(call);
          },
        },
        signal ?? new AbortController().signal,
      );
      return { report, events, asked, use: await door.close(), metered: meteredIn(standing) };
    },
  };
}

const PLAIN_TASK = {
  prompt: "Write new.txt.",
  system: null,
  model: null,
  maxTurns: null,
  schema: null,
  toolset: null,
  settings: {},
  session: null,
  goesOn: null,
  round: 1,
  lastError: null,
} as const;

async function openGateway(url: string, folder: string) {
  mkdirSync(folder);
  const records = createMemoryCallRecords();
  const router = routerWith(ROUTE_SETTINGS, createSystemClock());
  const standing: Standing = await standingGateway({ upstream: url, records, router });
  const access = createModelAccess({
    ...{ gateway: async () => standing.gateway, ledger: standing.ledger, records, clock: createSystemClock() },
    artifacts: createMemoryArtifacts({ maxBytes: 1 << 20 }),
    redact: (text) => text,
    bind: (server) => listenIn(folder, server),
  });
  onTestFinished(() => standing.gateway.close());
  return { standing, access };
}

function makeRepository(work: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries({ "README.md": "# A project\n", ...files })) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: work, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
}
