/** The composition root: the only file that names adapters and engines. Stores open with their first use, so reading costs nothing. */

import { mkdir, stat, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { join, posix } from "node:path";
import {
  ACP_SIGNATURE,
  GEMINI_SIGNATURE,
  GROK_SIGNATURE,
  OPENCODE_SIGNATURE,
} from "../adapters/agents/acp/signatures.ts";
import { CLAUDE } from "../adapters/agents/claude/signature.ts";
import { CODEX } from "../adapters/agents/codex/signature.ts";
import { COMMAND } from "../adapters/agents/command/signature.ts";
import { MODEL } from "../adapters/agents/model/signature.ts";
import { SCRIPTED } from "../adapters/agents/scripted/signature.ts";
import { createFileActions } from "../adapters/files/actions.ts";
import { createFileArtifacts } from "../adapters/files/artifacts.ts";
import { createFileHeartbeats } from "../adapters/files/heartbeats.ts";
import { createFileKillSwitch } from "../adapters/files/kill-switch.ts";
import { createGitActions } from "../adapters/git-actions/actions.ts";
import { openSqliteStore } from "../adapters/sqlite/store.ts";
import { createActions } from "../adapters/system/actions.ts";
import { createSystemClock } from "../adapters/system/clock.ts";
import { createPolicyGate } from "../adapters/system/policy-gate.ts";
import { randomBytes } from "../adapters/system/random.ts";
import { pawlError } from "../base/errors.ts";
import { createRedactor } from "../base/redact.ts";
import { createEmbeddedEngine } from "../engines/embedded/engine.ts";
import type { Gateway } from "../gateway/server.ts";
import type { AgentSignature } from "../plan/agents/agent-signature.ts";
import type { Action } from "../ports/actions.ts";
import type { AgentAccess } from "../ports/agents/agent-access.ts";
import type { AgentBackend, AgentBackends } from "../ports/agents/agent-backend.ts";
import type { AgentHomes } from "../ports/agents/agent-homes.ts";
import type { McpPins, McpServers } from "../ports/agents/mcp-servers.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Executor } from "../ports/executor.ts";
import type { Heartbeats } from "../ports/heartbeats.ts";
import type { ModelAccess } from "../ports/models/model-access.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Reaper } from "../ports/stop/reaper.ts";
import type { Store } from "../ports/store/store.ts";
import type { Trees } from "../ports/trees.ts";
import type { Signer } from "../ports/trust/signer.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { later } from "./agents/later.ts";
import { type AgentEntry, createAgentBackends } from "./agents/registry.ts";
import { type Config, readConfig } from "./config.ts";
import { createRuntime, type RuntimeParts } from "./create-runtime.ts";
import { RUNTIME_ERRORS } from "./errors.ts";
import { findRepository, type Repository } from "./find-repository.ts";
import type { McpParts } from "./mcp/mcp-actions.ts";
import type { GatewaySession, SessionOptions } from "./models/gateway-session.ts";
import { createBudgets } from "./money/load-budget.ts";
import { statePaths } from "./paths.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { createCertifier } from "./trust/certify.ts";

export interface OpenOptions extends RuntimeOptions {
  /** Actions of the embedding program, besides the built-in ones. */
  readonly actions?: readonly Action[];
  readonly config?: Config;
  readonly clock?: Clock;
  readonly randomBytes?: (count: number) => Uint8Array;
  /** Look only: the state directory is never created or changed. */
  readonly readOnly?: boolean;
  /** Go on although part of the journal is missing; see JOURNAL_WAL_MISSING. */
  readonly acceptLoss?: boolean;
}

const MOST_ARTIFACT_BYTES = 256 << 20;

export async function openRuntime(options: OpenOptions): Promise<Runtime> {
  const { root } = options;
  const found = await stat(root).catch(() => null);
  if (found === null || !found.isDirectory()) throw pawlError(RUNTIME_ERRORS, "PROJECT_ROOT_MISSING", { root });
  const config = options.config ?? readConfig({ flags: { root } });
  const paths = statePaths(root);
  const clock = options.clock ?? createSystemClock();
  const artifacts = createFileArtifacts({ dir: paths.artifacts, maxBytes: MOST_ARTIFACT_BYTES });
  const redactor = createRedactor({ secrets: config.secrets });
  const policy = createPolicyGate();
  const repository = findRepository(root);
  const early = { root, artifacts, redact: redactor.text };
  const late = lateParts(repository, config, early);
  const { sandbox, heartbeats, executor, git, signer } = late;
  const { policyFiles, budgetFile } = config;
  const killSwitch = createFileKillSwitch({ stateDir: paths.state, root });
  const budgets = createBudgets({ root, budgetFile, user: config.user });
  const actions = createActions([...ownActions(repository, config, early, late), options.actions ?? []]);
  const models = lateModels(early, config, clock);
  const agents = { backends: agentBackends(root, late, config), homes: lateAgentHomes(paths.agents) };

  const parts: RuntimeParts = {
    root,
    ...{ statePath: paths.state, projectFolder: repository.folder },
    openStore: () => openStore(paths.state, clock, options),
    artifacts,
    ...{ actions, agents: agents.backends, agentHomes: agents.homes, policyFiles, budgetFile },
    randomBytes: options.randomBytes ?? randomBytes,
    requireBudget: budgets.require,
    hasSecret: (text) => redactor.text(text) !== text,
    ...{ clock, sandbox, workspaces: git, trees: git, signer, heartbeats, executor },
    ...{ killSwitch, reaper: lateReaper(paths.state), mcp: lateMcp(paths.mcp, executor) },
    skillParts: { userDir: config.skillsDir, dir: paths.skills, executor, redact: redactor.text },
    prepareState: () => prepareState(paths.state),
    closeModels: models.close,
    async liveLog(run, stage, attempt) {
      const { liveLogPath, readLiveLog } = await import("../adapters/process/output/live-log.ts");
      return readLiveLog(liveLogPath(paths.logs, run, stage, attempt));
    },
    createEngine: (store, onOutput) =>
      createEmbeddedEngine({
        ports: {
          journal: store.journal,
          clock,
          policy,
          executor,
          ...{ workspaces: git, trees: git, artifacts, actions },
          models: models.of(store),
          agents: { ...agents, redact: redactor.text, patch: patchOf(git) },
          certifier: createCertifier({ trees: git, artifacts, signer }, store),
          zone: config.zone,
          redact: redactor.event,
          onOutput,
          breakers: store.breakers,
          killSwitch,
        },
        runs: store.runs,
        lease: store.lease,
        control: store.control,
        turns: store.breakers,
        budgets: budgets.on(store.ledger),
      }),
  };
  return createRuntime(parts);
}

/** A gateway without a project: its budget ends with it. */
export async function openGateway(
  root: string,
  options: SessionOptions,
  config = readConfig(),
): Promise<GatewaySession> {
  const { openSession } = await import("./models/gateway-session.ts");
  const clock = createSystemClock();
  const { createMemoryStore } = await import("../adapters/memory/store.ts");
  const { createMemoryCallRecords } = await import("../adapters/memory/models/call-records.ts");
  const { ledger, breakers } = createMemoryStore({ clock });
  return openSession(
    { config, root, clock, ledger, breakers, records: createMemoryCallRecords(), randomBytes },
    options,
  );
}

async function openStore(dir: string, clock: Clock, options: OpenOptions): Promise<Store> {
  const { readOnly = false, acceptLoss = false } = options;
  if (!readOnly) await prepareState(dir);
  return openSqliteStore({ dir, clock, readOnly, acceptLoss });
}

interface EarlyParts {
  readonly root: string;
  readonly artifacts: Artifacts;
  readonly redact: (text: string) => string;
}

interface LateParts {
  readonly sandbox: Sandbox;
  readonly heartbeats: Heartbeats;
  readonly executor: Executor;
  readonly git: GitParts;
  readonly signer: Signer;
  /** Folders from which the user's git runs hooks, relative to the top of the repository. */
  readonly hooksFolders: () => Promise<readonly string[]>;
}

/** What only a run with processes needs. */
function lateParts(repository: Repository, config: Config, early: EarlyParts): LateParts {
  const { root, artifacts, redact } = early;
  const paths = statePaths(root);
  const sandbox = lateSandbox(config);
  const heartbeats = createFileHeartbeats({ dir: paths.heartbeats });
  const hooksFolders: LateParts["hooksFolders"] = async () => {
    const { hooksFolders: find } = await import("../adapters/git/project/hooks-folders.ts");
    return find({ root: repository.top, path: config.path });
  };
  const executor = later<Executor>(["execute", "reap", "salvage", "forget", "leave", "kept"], async () => {
    const { createProcessExecutor } = await import("../adapters/process/executor.ts");
    const { state: stateDir, temp: tempDir, logs: logsDir } = paths;
    const { processEnv: baseEnv } = config;
    return createProcessExecutor({
      ...{ root, stateDir, tempDir, logsDir },
      ...{ artifacts, redact, baseEnv, sandbox, heartbeats, hooksFolders },
    });
  });
  const git = later<GitParts>(
    [
      ...([
        "base",
        "uncommitted",
        "keep",
        "enter",
        "salvage",
        "leave",
        "compose",
        "plant",
        "checkout",
        "drop",
      ] as const),
      ...(["changes", "read", "hashes", "diff", "oid", "sweep", "hold"] as const),
    ],
    async () => {
      const { createGitWorkspaces } = await import("../adapters/git/workspaces.ts");
      const { top, folder: project } = repository;
      const { workspaces: dir, vault } = paths;
      return createGitWorkspaces({ root: top, project, dir, vault, sandbox, path: config.path });
    },
  );
  return { sandbox, heartbeats, executor, git, signer: lateSigner(paths.state), hooksFolders };
}

function ownActions(
  repository: Repository,
  { hostEnv: env, github }: Config,
  { root, artifacts }: EarlyParts,
  { git, hooksFolders }: LateParts,
): readonly (readonly Action[])[] {
  const inProject = async (): Promise<readonly string[]> => fromProject(repository, await hooksFolders());
  return [
    createFileActions({ root, artifacts, hooksFolders: inProject }),
    createGitActions({
      root: repository.top,
      vault: statePaths(root).vault,
      artifacts,
      holdVault: git.hold,
      env,
      github,
      hooksFolders,
    }),
  ];
}

/** Those that lie in the project, relative to it. */
function fromProject({ folder }: Repository, paths: readonly string[]): readonly string[] {
  const ways = paths.map((path) => posix.relative(folder, path));
  return ways.filter((way) => way !== "" && way !== ".." && !way.startsWith("../"));
}

function lateSandbox(config: Config): Sandbox {
  const { bubblewrap, readable, path, socketDir } = config;
  return later<Sandbox>(["check", "enclose"], async () => {
    const { createBubblewrapSandbox } = await import("../adapters/sandbox/sandbox.ts");
    const { createEgressBroker } = await import("../adapters/egress/broker.ts");
    return createBubblewrapSandbox({
      ...(bubblewrap.value === null ? {} : { program: bubblewrap.value }),
      readable: readable.value,
      path,
      nodeProgram: process.execPath,
      egress: createEgressBroker({ socketDir }),
    });
  });
}

/** Most runs call no model. */
function lateModels({ root, artifacts, redact }: EarlyParts, config: Config, clock: Clock) {
  const built: Promise<Gateway>[] = [];
  const load = async ({ ledger, breakers }: Store): Promise<ModelAccess> => {
    const { buildGateway } = await import("./models/build-gateway.ts");
    const { createModelAccess } = await import("../gateway/access.ts");
    const { createFileCallRecords } = await import("../adapters/files/call-records.ts");
    const { listenIn } = await import("../adapters/egress/socket-folder.ts");
    const records = createFileCallRecords({ dir: statePaths(root).calls });
    const build = (): Promise<Gateway> => {
      const building = buildGateway({ config, root, ledger, breakers, records, clock }).then(({ gateway }) => gateway);
      built.push(building);
      return building;
    };
    const bind = (server: Server): Promise<string> => listenIn(config.socketDir, server);
    return createModelAccess({ gateway: build, ledger, records, clock, bind, artifacts, redact });
  };
  return {
    of: (store: Store) => later<ModelAccess>(["open", "reconcile"], () => load(store)),
    close: async (): Promise<void> => {
      for (const building of built) await (await building.catch(() => null))?.close();
    },
  };
}

/** One entry for each backend: what it says of itself, and where its code is. */
function agentBackends(root: string, { executor }: LateParts, { path, models }: Config): AgentBackends {
  const nodeProgram = process.execPath;
  const programs = { executor, root, path, nodeProgram };
  const acp = (signature: AgentSignature, name: "gemini" | "opencode" | "grok" | "acp"): AgentEntry => ({
    signature,
    load: async () => (await import("../adapters/agents/acp/backend.ts")).createAcpBackend(name, programs),
  });
  return createAgentBackends([
    {
      signature: SCRIPTED,
      load: async () =>
        (await import("../adapters/agents/scripted/scripted-agent.ts")).createScriptedAgent({ executor, nodeProgram }),
    },
    {
      signature: COMMAND,
      load: async () => (await import("../adapters/agents/command/command-agent.ts")).createCommandAgent({ executor }),
    },
    {
      signature: CLAUDE,
      load: async () =>
        (await import("../adapters/agents/claude/claude-agent.ts")).createClaudeAgent({ executor, root, path }),
    },
    {
      signature: CODEX,
      load: async () => (await import("../adapters/agents/codex/backend.ts")).createCodexBackend(programs),
    },
    { signature: MODEL, load: () => loadModelBackend(root, executor, models) },
    acp(GEMINI_SIGNATURE, "gemini"),
    acp(OPENCODE_SIGNATURE, "opencode"),
    acp(GROK_SIGNATURE, "grok"),
    acp(ACP_SIGNATURE, "acp"),
  ]);
}

async function loadModelBackend(root: string, executor: Executor, models: Config["models"]): Promise<AgentBackend> {
  const { createModelBackend } = await import("../adapters/agents/model/backend.ts");
  const { packageFolder, packageVersion } = await import("./agents/package-folder.ts");
  const { loadRoutes } = await import("./models/routes.ts");
  return createModelBackend({
    ...{ executor, root, nodeProgram: process.execPath, version: packageVersion() },
    program: join(packageFolder(), "dist", "harness"),
    tiers: async () => (await loadRoutes(root, models.routesFile)).tiers,
  });
}

function lateAgentHomes(dir: string): AgentHomes {
  return later<AgentHomes>(["open", "leave", "kept"], async () => {
    const { createFileAgentHomes } = await import("../adapters/files/agent-homes.ts");
    return createFileAgentHomes({ dir });
  });
}

/** A change as a checker is shown it. */
function patchOf({ diff }: Pick<Trees, "diff">): AgentAccess["patch"] {
  return async (from, to, maxBytes) => {
    const { patch, truncated } = await diff(from, to, maxBytes);
    const text = new TextDecoder().decode(patch);
    return truncated ? `${text}\n[the change is longer than this]` : text;
  };
}

/** Most commands sign nothing. */
function lateSigner(dir: string): Signer {
  return later<Signer>(["sign", "verify", "publicKey"], async () => {
    const { createFileSigner } = await import("../adapters/files/signer.ts");
    return createFileSigner({ dir });
  });
}

/** Most runs use no MCP server. */
function lateMcp(dir: string, executor: Executor): McpParts["mcp"] {
  return {
    servers: later<McpServers>(["open"], async () => {
      const { createMcpServers } = await import("../adapters/mcp/servers.ts");
      return createMcpServers({ executor });
    }),
    pins: later<McpPins>(["read", "write"], async () => {
      const { createFileMcpPins } = await import("../adapters/files/mcp-pins.ts");
      return createFileMcpPins({ dir });
    }),
  };
}

function lateReaper(stateDir: string): Reaper {
  return later<Reaper>(["endRuns", "endHost"], async () => {
    const { createProcessReaper } = await import("../adapters/process/kill/reaper.ts");
    return createProcessReaper({ stateDir });
  });
}

type GitParts = Workspaces & Trees & { hold<T>(work: () => Promise<T>): Promise<T> };

/** Ours alone, and invisible to git without touching a file of the user's. */
async function prepareState(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeFile(join(dir, ".gitignore"), "*\n", { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST" && error.code !== "EROFS" && error.code !== "EACCES") throw error;
  });
}
