/** A repository of a user, a vault with saved trees of a run, and a GitHub that is a server of the test. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createGitActions, type GitActionsOptions } from "../../src/adapters/git-actions/actions.ts";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import type { RunId } from "../../src/base/ids.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { Action, ActionContext, ActionReport } from "../../src/ports/actions.ts";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import { tempDir } from "./temp-dir.ts";

export const RUN = "r_0123456789ab" as RunId;
const IDENTITY = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgSign=false"];
const ENV = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" };

export interface ActionRepository {
  readonly dir: string;
  readonly root: string;
  readonly vault: string;
  readonly artifacts: Artifacts;
  /** The commit the run started from. */
  readonly base: string;
  /** Git in the project, as the user. */
  git(...args: string[]): string;
  inVault(...args: string[]): string;
  /** A tree as a workspace would have saved it; null: the file is gone. */
  save(files: Readonly<Record<string, string | null>>, after?: string): string;
  perform(
    name: string,
    input: JsonObject,
    context: Partial<ActionContext> & { readonly tree: string | null },
    options?: Partial<GitActionsOptions>,
  ): Promise<ActionReport>;
  /** What changes when something is done to the user's repository: branches, index, files. */
  state(): string;
}

/** `from`: an equal one is made from it, quicker than from nothing. */
export function actionRepository(format: "sha1" | "sha256" = "sha1", from?: ActionRepository): ActionRepository {
  const dir = tempDir();
  const [root, vault] = [join(dir, "project"), join(dir, "vault.git")];
  const run = (cwd: string, args: readonly string[], input = "", env: Record<string, string> = {}): string =>
    execFileSync("git", [...IDENTITY, ...args], {
      cwd,
      input,
      env: { ...ENV, ...env },
      encoding: "latin1",
      stdio: "pipe",
    }).trim();
  const git = (...args: string[]): string => run(root, args);
  const inVault = (...args: string[]): string => run(vault, args);
  if (from !== undefined) cpSync(from.dir, dir, { recursive: true });
  else {
    mkdirSync(root);
    git("init", "-q", "-b", "main", `--object-format=${format}`);
    writeFileSync(join(root, "readme"), "hello\n");
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "src/a.txt"), "one\ntwo\nthree\n");
    git("add", ".");
    git("commit", "-q", "-m", "start");
    run(dir, ["init", "-q", "--bare", `--object-format=${format}`, vault]);
    inVault("fetch", "-q", root, "HEAD:refs/pawl/base");
  }
  const base = from?.base ?? git("rev-parse", "HEAD");
  const artifacts = createMemoryArtifacts({ maxBytes: 64 << 20 });
  let at = 1_700_000_000;

  const save: ActionRepository["save"] = (files, after = base) => {
    const env = { GIT_INDEX_FILE: join(dir, "index") };
    run(vault, ["read-tree", after], "", env);
    for (const [path, content] of Object.entries(files)) {
      const id = content === null ? "0".repeat(base.length) : run(vault, ["hash-object", "-w", "--stdin"], content);
      run(vault, ["update-index", "-z", "--index-info"], `${content === null ? 0 : 100644} ${id}\t${path}\0`, env);
    }
    const tree = run(vault, ["write-tree"], "", env);
    at += 60;
    const date = `@${at} +0000`;
    const who = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    const id = run(vault, ["commit-tree", "-p", after, "-m", "saved", tree], "", who);
    inVault("update-ref", `refs/pawl/${RUN}/saved/${at}`, id);
    return id;
  };

  const actionsOf = (options: Partial<GitActionsOptions>): readonly Action[] =>
    createGitActions({
      root,
      vault,
      artifacts,
      holdVault: (work) => work(),
      env: ENV,
      github: { host: "github.com", apiUrl: "http://127.0.0.1:1", token: null },
      ...options,
    });

  return {
    dir,
    root,
    vault,
    artifacts,
    base,
    git,
    inVault,
    save,
    perform(name, input, context, options = {}) {
      const stage = context.stage ?? "act";
      const known = {
        run: RUN,
        stage,
        attempt: 1,
        key: `${RUN}:${stage}:1`,
        inputs: {},
        level: "L3" as const,
        verified: true,
      };
      const action = actionsOf(options).find((each) => each.name === name);
      if (action === undefined) throw new Error(`there is no action ${name}`);
      return action.perform(input, { ...known, signal: new AbortController().signal, ...context });
    },
    state: () =>
      [git("for-each-ref"), git("status", "--porcelain"), git("rev-parse", "HEAD"), git("ls-files", "-s")].join(
        "\n--\n",
      ),
  };
}

/** A bare repository that is the remote `name` of the project. */
export function addRemote(repository: ActionRepository, name = "origin"): string {
  const path = join(repository.dir, `${name}.git`);
  execFileSync("git", ["init", "-q", "--bare", path], { env: ENV });
  repository.git("remote", "add", name, `../${name}.git`);
  return path;
}

export interface FakePullRequest {
  readonly number: number;
  readonly html_url: string;
  state: string;
  body: string;
  readonly title: string;
  readonly head: string;
  readonly base: { readonly ref: string };
}

export interface FakeGitHub {
  readonly apiUrl: string;
  readonly pulls: FakePullRequest[];
  readonly calls: { readonly method: string; readonly url: string; readonly authorization: string }[];
  /** Does something instead of answering; false: it does not. */
  intervene: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Does something after a pull request was stored; false: it does not. */
  afterOpening: (response: ServerResponse) => boolean;
}

export async function fakeGitHub(): Promise<FakeGitHub> {
  const pulls: FakePullRequest[] = [];
  const calls: FakeGitHub["calls"] = [];
  const hub = { pulls, calls, intervene: () => false, afterOpening: () => false } as Omit<FakeGitHub, "apiUrl">;
  const open = (text: string, response: ServerResponse): unknown => {
    const { title, body, head, base } = JSON.parse(text) as Record<string, string>;
    if (pulls.some((each) => each.head === head && each.state === "open"))
      return send(response, 422, {
        message: "Validation Failed",
        errors: [{ message: `A pull request already exists for ${head}.` }],
      });
    const number = pulls.length + 1;
    const html_url = `https://github.com/acme/widgets/pull/${number}`;
    pulls.unshift({
      number,
      html_url,
      state: "open",
      body: body ?? "",
      title: title ?? "",
      head: head ?? "",
      base: { ref: base ?? "" },
    });
    return hub.afterOpening(response) || send(response, 201, pulls[0]);
  };
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    calls.push({ method, url, authorization: headers.authorization ?? "" });
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      if (hub.intervene(request, response)) return;
      const { pathname, searchParams } = new URL(url, "http://x");
      if (method === "GET" && pathname === "/repos/acme/widgets")
        return send(response, 200, { default_branch: "trunk" });
      if (pathname !== "/repos/acme/widgets/pulls") return send(response, 404, { message: "Not Found" });
      if (method === "POST") return open(text, response);
      return send(
        response,
        200,
        pulls.filter((each) => `acme:${each.head}` === searchParams.get("head")),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(hub, { apiUrl: `http://127.0.0.1:${(server.address() as { port: number }).port}` });
}

export function send(response: ServerResponse, status: number, body: unknown): ServerResponse {
  return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
