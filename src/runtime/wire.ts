/** The composition root: with `wire-agents.ts` the only place that names adapters and engines. Stores open with their first use, so reading costs nothing. */

import { stat } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { createFileActions } from "../adapters/files/actions.ts";
import { createFileArtifacts } from "../adapters/files/artifacts.ts";
import { createFileHeartbeats } from "../adapters/files/heartbeats.ts";
import { createFileKillSwitch } from "../adapters/files/kill-switch.ts";
import type { ProjectTexts } from "../adapters/files/project-texts.ts";
import { createGitActions } from "../adapters/git-actions/actions.ts";
import { requireStores } from "../adapters/sqlite/loss/require-stores.ts";
import { openSqliteStore } from "../adapters/sqlite/store.ts";
import { createActions } from "../adapters/system/actions.ts";
import { createSystemClock } from "../adapters/system/clock.ts";
import { createPolicyGate } from "../adapters/system/policy-gate.ts";
import { randomBytes } from "../adapters/system/random.ts";
import { pawlError } from "../base/errors.ts";
import { createRedactor } from "../base/redact.ts";
import { createEmbeddedEngine } from "../engines/embedded/engine.ts";
import type { Gateway } from "../gateway/server.ts";
import { createFolderJournal } from "../harness/journal/file-journal.ts";
import type { AgentJournal } from "../harness/journal/record.ts";
import type { Weight } from "../limits/admission/admission.ts";
import type { Action } from "../ports/actions.ts";
import type { AgentHomes } from "../ports/agents/agent-homes.ts";
import type { McpPins, McpServers } from "../ports/agents/mcp-servers.ts";
import type { RunLocks } from "../ports/agents/run-lock.ts";
import type { Clock } from "../ports/clock.ts";
import { JOURNAL_ERRORS } from "../ports/errors/journal-errors.ts";
import type { Executor } from "../ports/executor.ts";
import type { LoopStore } from "../ports/loops/loop-store.ts";
import type { Mainline } from "../ports/loops/mainline.ts";
import type { ModelAccess } from "../ports/models/model-access.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Reaper } from "../ports/stop/reaper.ts";
import type { Store } from "../ports/store/store.ts";
import type { Signer } from "../ports/trust/signer.ts";
import { later } from "./agents/later.ts";
import { patchOf } from "./agents/patch.ts";
import { type Config, readConfig } from "./config.ts";
import { createMergeAction } from "./coordinate/merge-action.ts";
import { createRuntime, type RuntimeParts } from "./create-runtime.ts";
import { RUNTIME_ERRORS } from "./errors.ts";
import { findRepository, type Repository } from "./find-repository.ts";
import { GIT_CALLS, type GitParts } from "./late/git-calls.ts";
import type { EarlyParts, LateParts } from "./late/late-parts.ts";
import { createTicks } from "./loops/tick-actions.ts";
import type { Recovery } from "./lost/recovery.ts";
import { heldRuns, tracesOfRuns, workspacesBelow } from "./lost/traces.ts";
import type { Machine } from "./machine/machine.ts";
import type { McpParts } from "./mcp/mcp-actions.ts";
import type { GatewaySession, SessionOptions } from "./models/gateway-session.ts";
import { createBudgets } from "./money/load-budget.ts";
import { fromProject, prepareState, statePaths } from "./paths.ts";
import { createReviewActions } from "./review/review-actions.ts";
import type { OpenOptions, Runtime } from "./runtime.ts";
import type { Serve, ServeOptions } from "./serve/serve.ts";
import { createCertifier } from "./trust/certify.ts";
import { agentBackends } from "./wire-agents.ts";

/** Of agents. Each run in it is held by one process, and is free the instant that dies. */
export function createFileJournal(folder: string): AgentJournal {
  const locks = later<RunLocks>(
    ["hold"],
    async () => (await import("../adapters/sqlite/file/hold-file.ts")).FILE_LOCKS,
  );
  return createFolderJournal(folder, locks);
}

const same = <T>(value: T): T => value;
const MOST_ARTIFACT_BYTES = 256 << 20;

export async function openRuntime(options: OpenOptions): Promise<Runtime> {
  const { root } = options;
  await requireFolder(root);
  const config = options.config ?? readConfig({ flags: { root } });
  const paths = statePaths(root);
  const requireState = (): void => requireStores(paths.state, () => tracesOfRuns(root));
  if (options.evenLost !== true) requireState();
  const clock = options.clock ?? createSystemClock();
  const artifacts = createFileArtifacts({ dir: paths.artifacts, maxBytes: MOST_ARTIFACT_BYTES });
  const redactor = createRedactor({ secrets: config.secrets });
  const policy = createPolicyGate();
  const repository = findRepository(root);
  const early = { root, artifacts, redact: redactor.text };
  const late = lateParts(repository, config, early);
  const [{ sandbox, heartbeats, executor, git, signer, mcp }, { policyFiles, budgetFile }] = [late, config];
  const killSwitch = (options.guard ?? same)(createFileKillSwitch({ stateDir: paths.state, root }));
  const budgets = createBudgets({ root, budgetFile, user: config.user, tenant: config.tenant });
  const texts = lateTexts(early, late);
  const ticks = createTicks({ root, budgetFile, clock, texts, spentToday: options.spentToday });
  const review = createReviewActions({ trees: git, artifacts, past: () => runtime });
  const hosted = [...ticks.actions, ...review, createMergeAction(async () => runtime.coordination())];
  const actions = createActions([...ownActions(repository, config, early, late), hosted, options.actions ?? []]);
  const models = lateModels(early, config, clock);
  const agents = { backends: agentBackends(root, late, config), homes: lateAgentHomes(paths.agents) };

  const parts: RuntimeParts = {
    ...{ root, artifacts, statePath: paths.state, projectFolder: repository.folder, requireState },
    openStore: () => ticks.pay(openStore(root, clock, options)),
    ...{ actions, agents: agents.backends, agentHomes: agents.homes, policyFiles, budgetFile },
    randomBytes: options.randomBytes ?? randomBytes,
    requireBudget: budgets.require,
    hasSecret: (text) => redactor.text(text) !== text,
    ...{ clock, sandbox, workspaces: git, trees: git, signer, heartbeats, executor, texts },
    ...{ killSwitch, reaper: lateReaper(paths.state), mcp },
    skillParts: { userDir: config.skillsDir, dir: paths.skills, executor, redact: redactor.text },
    prepareState: () => prepareState(paths.state),
    heldRuns: () => heldRuns(root),
    loopsProblem: async () => {
      const { loopsProblem } = await import("../adapters/sqlite/rescue/journal-problem.ts");
      return (await loopsProblem({ dir: paths.state, clock }))?.what ?? null;
    },
    modelKeys: async () => (await import("./models/model-keys.ts")).modelKeys(config),
    ...{ closeModels: models.close, mainline: late.mainline, openMachine },
    openLoops: () => openLoops(root, { ...options, clock }),
    async liveLog(run, stage, attempt) {
      const { liveLogPath, readLiveLog } = await import("../adapters/process/output/live-log.ts");
      return readLiveLog(liveLogPath(paths.logs, run, stage, attempt));
    },
    createEngine: (store, onOutput) =>
      createEmbeddedEngine({
        ports: {
          ...{ journal: store.journal, clock, policy, executor },
          ...{ workspaces: git, trees: git, artifacts, actions },
          models: models.of(store),
          agents: { ...agents, redact: redactor.text, patch: patchOf(git) },
          certifier: createCertifier({ trees: git, artifacts, signer }, store),
          ...{ zone: config.zone, redact: redactor.event, onOutput, breakers: store.breakers, killSwitch },
        },
        ...{ runs: store.runs, lease: store.lease, control: store.control, turns: store.breakers },
        budgets: budgets.on(store.ledger),
      }),
  };
  const runtime = createRuntime(parts);
  return runtime;
}

async function requireFolder(root: string): Promise<void> {
  const found = await stat(root).catch(() => null);
  if (found === null || !found.isDirectory()) throw pawlError(RUNTIME_ERRORS, "PROJECT_ROOT_MISSING", { root });
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

/** The store of loops of a project. Rejects with JOURNAL_*. */
export async function openLoops(
  root: string,
  options: Pick<OpenOptions, "clock" | "readOnly" | "acceptLoss" | "evenLost"> = {},
): Promise<LoopStore> {
  const { clock = createSystemClock(), readOnly = false, acceptLoss = false } = options;
  const { state: dir } = statePaths(root);
  if (options.evenLost !== true) requireStores(dir, () => tracesOfRuns(root));
  if (!readOnly) await prepareState(dir);
  const { openSqliteLoops } = await import("../adapters/sqlite/loops/loop-store.ts");
  return openSqliteLoops({ dir, clock, readOnly, acceptLoss });
}

/** What is left when the journal of a project is lost or damaged. Opens no store. */
export async function openRecovery(root: string, config = readConfig({ flags: { root } })): Promise<Recovery> {
  const { createRecovery } = await import("./lost/recovery.ts");
  const { journalProblem, loopsProblem } = await import("../adapters/sqlite/rescue/journal-problem.ts");
  const { restartStores } = await import("../adapters/sqlite/rescue/restart-stores.ts");
  const { createSavedWork } = await import("../adapters/git-actions/saved-work.ts");
  const { state: dir, vault, workspaces, artifacts: shelf } = statePaths(root);
  const [clock, repository] = [createSystemClock(), findRepository(root)];
  const artifacts = createFileArtifacts({ dir: shelf, maxBytes: MOST_ARTIFACT_BYTES });
  const { git } = lateParts(repository, config, { root, artifacts, redact: same });
  const place = { dir, clock, traces: () => tracesOfRuns(root) };
  return createRecovery({
    saved: createSavedWork({ root: repository.top, vault, env: config.hostEnv, holdVault: git.hold }),
    problems: async () => [await journalProblem(place), await loopsProblem(place)].filter((found) => found !== null),
    restart: (request) => restartStores({ dir, clock, ...request }),
    workspaces: async () => workspacesBelow(workspaces),
    async mentioned(runs) {
      // The store of loops may be lost, and is not asked.
      const store = await openSqliteStore({ ...place, readOnly: true });
      const known = await Promise.all(
        runs.map(async (run) => ((await store.runs.get(run)) === undefined ? [] : [run])),
      );
      await store.close();
      return new Set(known.flat());
    },
  });
}

/** What runs on this machine and has said what it takes. */
async function openMachine(total: () => Weight | null, config: Config = readConfig()): Promise<Machine> {
  const { createMachine } = await import("./machine/machine.ts");
  const clock = createSystemClock();
  const open = async (): Promise<LoopStore> => {
    const { openSqliteLoops } = await import("../adapters/sqlite/loops/loop-store.ts");
    return openSqliteLoops({ dir: config.machineDir, clock, isOfMachine: true });
  };
  return createMachine({ open, clock, total });
}

/** Serves the loops of a project: runs of it are fenced. */
export async function openServe(root: string, options: ServeOptions): Promise<Serve> {
  const { createServe } = await import("./serve/serve.ts");
  const { createFence } = await import("./serve/jobs/fence.ts");
  const { machineUptime: uptime } = await import("../adapters/sqlite/loops/loop-store.ts");
  const { readBranch } = await import("../adapters/git/project/read-branch.ts");
  const config = readConfig({ flags: { root } });
  const [clock, fence] = [createSystemClock(), createFence(uptime)];
  const runtime = await openRuntime({ root, config, clock, guard: fence.around });
  const loops = await openLoops(root, { clock });
  const place = { root: findRepository(root).top, path: config.path, home: statePaths(root).state };
  const readRef = (ref: string): Promise<string | null> => readBranch(place, ref);
  const machine = (total: () => Weight | null): Promise<Machine> => openMachine(total, config);
  return createServe({ root, runtime, loops, clock, uptime, fence, readRef, machine }, options);
}

async function openStore(root: string, clock: Clock, options: OpenOptions): Promise<Store> {
  const { readOnly = false, acceptLoss = false } = options;
  const { state: dir } = statePaths(root);
  if (!readOnly) await prepareState(dir);
  const store = await openSqliteStore({ dir, clock, readOnly, acceptLoss, traces: () => tracesOfRuns(root) });
  if (options.evenLost !== true && !acceptLoss) await requireNothingMissing(store, join(dir, "pawl.db"));
  return store;
}

/** A list of runs would look whole without those that are gone. */
async function requireNothingMissing(store: Store, file: string): Promise<void> {
  const [detail] = await store.chain.problems();
  if (detail === undefined) return;
  await store.close();
  throw pawlError(JOURNAL_ERRORS, "JOURNAL_CORRUPT", { file, detail });
}

/** What only a run with processes needs. */
function lateParts(repository: Repository, config: Config, early: EarlyParts): LateParts {
  const { root, artifacts, redact } = early;
  const paths = statePaths(root);
  const [sandbox, place] = [lateSandbox(config), { root: repository.top, project: repository.folder }];
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
  const git = later<GitParts>(GIT_CALLS, async () => {
    const { createGitWorkspaces } = await import("../adapters/git/workspaces.ts");
    const { workspaces: dir, vault } = paths;
    return createGitWorkspaces({ ...place, dir, vault, sandbox, path: config.path });
  });
  const mainline = lateMainline(repository.top, paths.vault, config, git);
  const [signer, mcp] = [lateSigner(paths.state), lateMcp(paths.mcp, executor)];
  const hooksInProject: LateParts["hooksFolders"] = async () => fromProject(repository, await hooksFolders());
  return { sandbox, heartbeats, executor, git, signer, mcp, mainline, hooksFolders, hooksInProject };
}

function ownActions(
  repository: Repository,
  { hostEnv: env, github }: Config,
  { root, artifacts }: EarlyParts,
  { git, hooksFolders, hooksInProject }: LateParts,
): readonly (readonly Action[])[] {
  return [
    createFileActions({ root, artifacts, hooksFolders: hooksInProject }),
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

/** Files that people and loops share. */
function lateTexts({ root }: EarlyParts, { hooksInProject: hooksFolders }: LateParts): ProjectTexts {
  return later(["read", "change"], async () => {
    const { inTurn } = await import("../adapters/sqlite/file/turns-at-file.ts");
    const { createProjectTexts } = await import("../adapters/files/project-texts.ts");
    const alone = (work: () => Promise<void>) => inTurn(statePaths(root).texts, work);
    const { noteOwnWrites } = await import("./serve/triggers/own-writes.ts");
    return createProjectTexts({ root, hooksFolders, alone, onWrite: noteOwnWrites(statePaths(root).state) });
  });
}

/** Most runs merge nothing. */
function lateMainline(root: string, vault: string, { hostEnv: env }: Config, git: GitParts): Mainline {
  return later<Mainline>(["proposal", "current", "tip", "holds", "stack", "advance", "mend", "changed"], async () => {
    const { createGitMainline } = await import("../adapters/git-actions/mainline.ts");
    return createGitMainline({ root, vault, holdVault: git.hold, env });
  });
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

function lateAgentHomes(dir: string): AgentHomes {
  const load = () => import("../adapters/files/agent-homes.ts");
  return later<AgentHomes>(["open", "leave", "kept"], async () => (await load()).createFileAgentHomes({ dir }));
}

/** Most commands sign nothing. */
function lateSigner(dir: string): Signer {
  const load = () => import("../adapters/files/signer.ts");
  return later<Signer>(["sign", "verify", "publicKey"], async () => (await load()).createFileSigner({ dir }));
}

/** Most runs use no MCP server. */
function lateMcp(dir: string, executor: Executor): McpParts["mcp"] {
  const servers = () => import("../adapters/mcp/servers.ts");
  const pins = () => import("../adapters/files/mcp-pins.ts");
  return {
    servers: later<McpServers>(["open"], async () => (await servers()).createMcpServers({ executor })),
    pins: later<McpPins>(["read", "write"], async () => (await pins()).createFileMcpPins({ dir })),
  };
}

function lateReaper(stateDir: string): Reaper {
  const load = () => import("../adapters/process/kill/reaper.ts");
  return later<Reaper>(["endRuns", "endHost"], async () => (await load()).createProcessReaper({ stateDir }));
}
