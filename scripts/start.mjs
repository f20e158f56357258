/**
 * `npm start`: the demo. In a copy of examples/agent-loop an agent repairs what the tests find, a gate judges its work, a second agent
 * reviews it and a person has the last word about one call. A copy of examples/fix-tests is repaired by a real run, in a private clone
 * behind a sandbox; the run is killed in the middle and resumed, judged test by test in a fresh checkout, approved, committed, then shown,
 * verified and replayed. A second run cheats, and is found out; an agent that is never done is stopped at its budget; the kill switch
 * stops what is under way and what would begin; a loop that two processes serve is woken by a commit and outlives the process that runs it. Everything the demo promises is checked: it ends with an error when one thing is not so.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./lock.mjs";
import { setup } from "./setup.mjs";

const cli = join(root, "dist", "cli", "main.js");
const WATCHDOG_MS = 180_000;

function say(text) {
  console.log(process.stdout.isTTY ? `\n\u001b[1m${text}\u001b[0m` : `\n${text}`);
}

function promise(isKept, what) {
  if (isKept) return;
  console.error(`\nThe demo broke its promise: ${what}.`);
  process.exit(1);
}

function pawl(project, ...args) {
  console.log(`$ pawl ${args.join(" ")}`);
  return spawnSync(process.execPath, [cli, "-C", project, ...args], {
    cwd: project,
    stdio: "inherit",
    timeout: WATCHDOG_MS,
  }).status;
}

function pawlJson(project, ...args) {
  const { stdout } = spawnSync(process.execPath, [cli, "-C", project, ...args, "--json"], {
    cwd: project,
    encoding: "utf8",
  });
  return JSON.parse(stdout);
}

function testsPass(project) {
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  return spawnSync(process.execPath, ["--test", "test/price.test.mjs"], { cwd: project, env }).status === 0;
}

function copyOf(example) {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "pawl-demo-")));
  cpSync(join(root, "examples", example), project, { recursive: true });
  git(project, "init", "--quiet", "--initial-branch=main");
  git(project, "add", "--all");
  git(project, "-c", "user.name=You", "-c", "user.email=you@example.org", "commit", "--quiet", "--message=Begin");
  return project;
}

function git(folder, ...args) {
  const { status, stdout, stderr } = spawnSync("git", ["-C", folder, ...args], { encoding: "utf8" });
  promise(status === 0, `git ${args[0]} failed: ${stderr}`);
  return stdout.trim();
}

/** The main job: scan → fix → verify → review → gate → commit, with agents that do what their scripts say. */
function checkAgents() {
  const project = copyOf("agent-loop");
  console.log(`a small project with failing tests: ${project}`);
  promise(pawl(project, "plan", "blueprint.yaml") === 0, "pawl plan failed");
  promise(
    pawl(project, "run", "blueprint.yaml", "--level", "L2") === 2,
    "the agent did not ask before it wrote CHANGELOG.md",
  );
  const question = openQuestion(project);
  promise(pawl(project, "approvals", question) === 0, "pawl approvals failed");
  promise(pawl(project, "approve", question) === 0, "the run did not end in success");
  const { events } = pawlJson(project, "events", "@last");
  const stored = events.map(({ event }) => event);
  const ends = stored
    .filter(({ type }) => type === "stage.finished")
    .map(({ stage, outcome }) => `${stage} ${outcome}`);
  promise(
    ends.join(", ") ===
      "scan failure, fix success, verify fail, fix success, verify pass, review accept, change pass, commit success",
    `the loop went another way: ${ends.join(", ")}`,
  );
  const sessions = stored.flatMap(({ type, stage, session }) =>
    type === "stage.finished" && session ? [[stage, session]] : [],
  );
  promise(
    sessions.every(([stage, session]) => sessions.every(([other, same]) => stage === other || session !== same)),
    "maker and checker shared a session",
  );
  return checkCommit(project, stored[0].run);
}

/** Runs the blueprint and kills the process while the second repair is under way. Returns what was told until then. */
async function runAndKill(project) {
  console.log("$ pawl run blueprint.yaml --level L2 --jsonl");
  const child = spawn(process.execPath, [cli, "-C", project, "run", "blueprint.yaml", "--level", "L2", "--jsonl"], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = new Promise((resolve) => child.once("close", (_code, signal) => resolve(signal)));
  const told = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { kind, event } = JSON.parse(line);
    if (kind !== "event") continue;
    told.push(event);
    const facts = [event.stage, event.outcome, event.round && `round ${event.round}`].filter(Boolean);
    console.log(`  ${String(told.length).padStart(2)}  ${event.type.padEnd(16)} ${facts.join(" ")}`);
    if (event.type === "stage.started" && event.stage === "fix" && event.visit === 2) {
      await sleep(400);
      child.kill("SIGKILL");
    }
  }
  promise((await gone) === "SIGKILL", "the run ended before it could be killed");
  console.log("      … SIGKILL, in the middle of the second repair");
  return told;
}

function checkEnd(project, told) {
  const { events } = pawlJson(project, "events", "@last");
  const stored = events.map(({ event }) => event);
  const count = (type, stage) => stored.filter((event) => event.type === type && event.stage === stage).length;
  promise(
    JSON.stringify(stored.slice(0, told.length)) === JSON.stringify(told),
    "an event that was told before the kill is not in the journal",
  );
  promise(count("stage.interrupted", "fix") === 1, "the lost attempt was not recorded as lost");
  for (const [stage, finished] of Object.entries({ scan: 1, fix: 2, check: 2, report: 1, change: 1, commit: 1 })) {
    const started = count("stage.started", stage) - count("stage.interrupted", stage);
    promise(
      started === finished && count("stage.finished", stage) === finished,
      `the stage ${stage} was repeated or left out`,
    );
  }
  promise(stored.at(-1)?.status === "succeeded", "the run did not succeed");
  promise(count("approval.answered", "approve") === 1, "the commit was not approved exactly once");
  return { kept: told.length, all: stored.length, run: stored[0]?.run };
}

/** The question that is open; it names exactly the tree that would be committed. */
function openQuestion(project) {
  const { approvals } = pawlJson(project, "approvals");
  promise(approvals.length === 1, "there is not exactly one open question");
  return approvals[0].approval.id;
}

/** A fixer that edits the tests instead of the code. */
function checkCheat(project) {
  const fixer = JSON.stringify(["node", "tools/cheat.mjs"]);
  const { status } = spawnSync(
    process.execPath,
    [cli, "-C", project, "run", "blueprint.yaml", "--level", "L2", "--param", `fixer=${fixer}`, "--json"],
    { cwd: project, timeout: WATCHDOG_MS },
  );
  const { events } = pawlJson(project, "events", "@last");
  const verdicts = events.flatMap(({ event }) =>
    event.type === "stage.finished" && event.stage === "check" ? [event] : [],
  );
  for (const { outcome, error } of verdicts.slice(0, 1)) console.log(`  check: ${outcome}: ${error}`);
  promise(status === 1 && verdicts.length > 0, "the cheat did not fail");
  promise(
    verdicts.every(({ outcome }) => outcome === "fail"),
    "a gate passed a cheat",
  );
}

/** The work is one commit on a branch of its own, and the checkout of the user is as it was. */
function checkCommit(project, run) {
  const branch = `pawl/${run}`;
  promise(git(project, "status", "--porcelain") === "", "files of the project were changed");
  promise(git(project, "rev-list", "--count", `main..${branch}`) === "1", "there is not exactly one new commit");
  promise(!testsPass(project), "the checkout of the user was repaired unasked");
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "pawl-demo-result-")));
  git(project, "worktree", "add", "--quiet", "--force", copy, branch);
  promise(testsPass(copy), "the tests do not pass on the new commit");
  const message = git(project, "log", "-1", "--format=%B", branch);
  promise(/^Pawl-Certificate: sha256:[0-9a-f]{64}$/m.test(message), "the commit names no certificate");
  git(project, "worktree", "remove", "--force", copy);
  return branch;
}

/** An agent that asks a model for ever, with two cents; the model is a stand-in on loopback that tells which keys it was given. */
async function checkBudget() {
  const project = copyOf("endless-agent");
  const model = spawn(process.execPath, [join(project, "tools", "model.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: model.stdout });
  const [address] = await once(lines, "line");
  const keys = [];
  lines.on("line", (key) => keys.push(key));
  const key = "sk-demo-the-real-key";
  const { status } = await pawlWith(
    { PAWL_ANTHROPIC_URL: address, ANTHROPIC_API_KEY: key },
    project,
    "run",
    "blueprint.yaml",
  );
  model.kill();
  const { events } = pawlJson(project, "events", "@last");
  const last = events.at(-1).event;
  const { usage, turns } = events.findLast(({ event }) => event.type === "stage.finished").event;
  promise(status === 2 && last.reason === "budget_exhausted", "the agent was not stopped at its budget");
  promise(usage.microUsd <= 20_000 && turns === keys.length, "more was spent, or called, than was metered");
  promise(
    keys.every((each) => each === key),
    "the model was not given the key",
  );
  const { stdout } = spawnSync(process.execPath, [cli, "-C", project, "logs", "@last"], { encoding: "utf8" });
  promise(stdout.includes("402") && !stdout.includes(key), "the agent saw the key");
  return { calls: keys.length, usd: usage.microUsd / 1e6 };
}

/** Pawl beside this process, which must go on meanwhile. */
async function pawlWith(env, project, ...args) {
  console.log(`$ pawl ${args.join(" ")}`);
  const child = spawn(process.execPath, [cli, "-C", project, ...args], {
    cwd: project,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  const [status] = await once(child, "close");
  return { status };
}

/** Pulls the switch while a stage is under way. */
async function checkKill(project) {
  const child = spawn(process.execPath, [cli, "-C", project, "run", "blueprint.yaml", "--level", "L2", "--jsonl"], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = once(child, "close");
  let isPulled = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const { event } = JSON.parse(line);
    if (isPulled || event?.type !== "stage.started" || event.stage !== "fix") continue;
    isPulled = true;
    promise(pawl(project, "kill", "--all", "--why", "the demo wants it") === 0, "pawl kill failed");
  }
  await gone;
  const { events } = pawlJson(project, "events", "@last");
  promise(events.at(-1).event.reason === "kill_switch", "the run was not ended by the kill switch");
  promise(pawl(project, "run", "blueprint.yaml") !== 0, "a run began although the switch was pulled");
  const after = pawlJson(project, "events", "@last").events;
  promise(after.length === events.length, "something happened after the switch was pulled");
  promise(pawl(project, "kill", "--release") === 0, "the switch was not released");
}

/** A process that serves the loops of a project, and what it tells. */
function serve(project) {
  console.log("$ pawl serve --lease 2s --jsonl");
  const child = spawn(process.execPath, [cli, "-C", project, "serve", "--lease", "2s", "--jsonl"], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const news = JSON.parse(line);
    told.push(news);
    if (news.loop !== undefined) console.log(`  ${child.pid}  ${news.type} ${news.run ?? news.slot ?? ""}`.trimEnd());
  });
  return { child, told, gone: once(child, "close") };
}

/** Two processes serve one loop. Whichever hosts its run is killed; the other goes on with the run. */
async function checkLoop() {
  const project = copyOf("triage");
  promise(pawl(project, "list") === 0, "pawl list failed");
  const all = [serve(project), serve(project)];
  const tells = (type) => all.find(({ told }) => told.some((news) => news.type === type && news.loop === "triage"));
  const heard = async (type) => {
    while (tells(type) === undefined) await sleep(50);
    return tells(type);
  };
  await Promise.all(
    all.map(async ({ told }) => {
      while (told.length === 0) await sleep(50);
    }),
  );
  const state = join(project, "STATE.md");
  writeFileSync(state, readFileSync(state, "utf8").replace("(nothing)", "- [ ] #7 — add(1, 2) is not 3"));
  console.log('$ git commit --all --message="Report #7"');
  git(project, "-c", "user.name=You", "-c", "user.email=you@example.org", "commit", "--quiet", "-am", "Report #7");
  const host = await heard("run.began");
  await sleep(300);
  host.child.kill("SIGKILL");
  console.log(`  ${host.child.pid}  … SIGKILL`);
  const other = all.find((each) => each !== host);
  await heard("run.ended");
  other.child.kill("SIGINT");
  await Promise.all(all.map(({ gone }) => gone));
  const { runs } = pawlJson(project, "status");
  promise(
    runs.length === 1 && runs[0].status === "succeeded",
    "the slot did not become exactly one run that succeeded",
  );
  const entries = readFileSync(join(project, "loop-run-log.md"), "utf8").match(/"outcome":"fix-proposed"/g) ?? [];
  promise(entries.length === 1, "the tick is not in the log exactly once");
  const branch = `pawl/${runs[0].run}`;
  promise(git(project, "rev-list", "--count", `main..${branch}`) === "1", "there is not exactly one new commit");
  promise(git(project, "show", `${branch}:src/add.mjs`).includes("a + b"), "the repair is not on the branch");
  return branch;
}

async function demo() {
  say("1. The whole loop: an agent repairs, a gate judges, another agent reviews, a person decides about one call");
  console.log("the agents are scripted; with a real one the blueprint says `agent: claude` and how much it may spend");
  const repaired = checkAgents();

  const project = copyOf("fix-tests");
  say(`2. The same with a plain command, and a crash: ${project}`);
  promise(!testsPass(project), "the tests of the example pass before they are repaired");
  console.log(
    "its tests fail; blueprint.yaml says: test, repair, judge, at most five rounds, then ask a person and commit",
  );
  promise(pawl(project, "plan", "blueprint.yaml") === 0, "pawl plan failed");

  say("3. Run it, and kill it with SIGKILL in the middle");
  console.log("every stage runs in a private clone, behind a sandbox without network; your files are not touched");
  const told = await runAndKill(project);

  say("4. Resume it: nothing is lost, nothing that was done is done again");
  promise(pawl(project, "resume", "@last") === 2, "pawl resume did not wait for a person");

  say("5. It was judged test by test in a fresh checkout, and now it asks: look, then approve exactly that");
  const question = openQuestion(project);
  promise(pawl(project, "approvals", question) === 0, "pawl approvals failed");
  promise(pawl(project, "approve", question) === 0, "the approved run did not end in success");

  say("6. Do not take its word for it");
  promise(pawl(project, "show", "@last") === 0, "pawl show failed");
  promise(pawl(project, "verify", "@last") === 0, "the journal or the certificate is not intact");
  promise(pawl(project, "replay", "@last") === 0, "the replay differs from the journal");
  const { kept, all, run } = checkEnd(project, told);
  const branch = checkCommit(project, run);

  say("7. The same with a fixer that cheats: it makes the tests agree with the code");
  console.log('$ pawl run blueprint.yaml --level L2 --param fixer=["node","tools/cheat.mjs"]');
  checkCheat(project);

  say("8. An agent that is never done, with two cents for a model");
  console.log("it reaches a gateway on this machine and nothing else; the gateway has the key, and counts");
  const { calls, usd } = await checkBudget();

  say("9. The kill switch");
  await checkKill(project);

  say("10. A loop that runs by itself: two processes serve it, a commit wakes it, and one of them is killed");
  const repairedAlone = await checkLoop();

  tell({ repaired, kept, all, branch, calls, usd, repairedAlone });
}

function tell({ repaired, kept, all, branch, calls, usd, repairedAlone }) {
  say("Done. What was promised was checked:");
  console.log(
    `- two agents with sessions of their own made and reviewed the commit on ${repaired}; the one call that needed a person waited`,
  );
  console.log(
    "- the agent was denied the tests it wanted to empty, and what it changed was judged once more by the same rules",
  );
  console.log(`- all ${kept} events that were told before the kill are among the ${all} in the journal, byte for byte`);
  console.log("- no finished stage ran again; the repair that was lost was recorded as lost and tried again");
  console.log(`- the work is one commit on the branch ${branch}; main and the files of the project are as they were`);
  console.log("- the tests pass on that commit, run once more by the demo itself; the commit names its certificate");
  console.log("- a fixer that edited the tests got nowhere: they are judged as they were when the run began");
  console.log(
    `- the endless agent made ${calls} calls for $${usd.toFixed(4)} of $0.02, was refused the next one, and never saw the key`,
  );
  console.log("- the kill switch ended the run in the middle of a stage, and no other began until it was released");
  console.log(
    `- the loop woke once, its run was finished by the process that was left, and the repair waits on ${repairedAlone}`,
  );
  say("Now your own repository:");
  console.log(`  alias pawl="node ${cli}"`);
  console.log("  cd your/repository");
  console.log("  pawl init                  # looks at your project and writes pawl.yaml");
  console.log("  pawl plan check            # what would run, and the worst case; nothing is run");
  console.log("  pawl run check");
}

await setup();
const watchdog = setTimeout(() => promise(false, `it did not end within ${WATCHDOG_MS / 1000} s`), WATCHDOG_MS);
await demo();
clearTimeout(watchdog);
