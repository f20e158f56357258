/** The few calls to GitHub's REST API that a pull request needs. The token goes to the configured address and nowhere else. */
import { pawlError } from "../../base/errors.ts";
import { visibleLine } from "../../base/visible.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";

export interface GitHubOptions {
  /** Host of the remotes that this API serves. */
  readonly host: string;
  /** Such as https://api.github.com; plain http only on this machine. */
  readonly apiUrl: string;
  /** null: there is none. */
  readonly token: string | null;
}

export interface Repository {
  readonly owner: string;
  readonly name: string;
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly state: string;
  readonly body: string;
  readonly base: string;
}

export interface NewPullRequest {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  readonly draft: boolean;
}

export interface GitHub {
  readonly host: string;
  defaultBranch(repository: Repository, signal: AbortSignal): Promise<string>;
  /** Those of one branch, open or not, newest first. */
  find(repository: Repository, head: string, signal: AbortSignal): Promise<readonly PullRequest[]>;
  /** undefined: there is one already. */
  open(repository: Repository, request: NewPullRequest, signal: AbortSignal): Promise<PullRequest | undefined>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 8 << 20;
const ON_THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
const EXISTS = /already exists/i;

export function createGitHub({ host, apiUrl, token }: GitHubOptions): GitHub {
  const call = async (
    doing: string,
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const url = addressOf(apiUrl, path);
    if (token === null || token === "") throw pawlError(GIT_ERRORS, "GITHUB_TOKEN_MISSING", { api: url.host });
    try {
      const response = await fetch(url, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${token}`,
          "user-agent": "pawl",
          "x-github-api-version": "2022-11-28",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would take the token along.
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      return { status: response.status, body: parse(await readAll(response)) };
    } catch (error) {
      const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
      throw failed(doing, cause?.code ?? message);
    }
  };

  return {
    host,
    async defaultBranch({ owner, name }, signal) {
      const doing = "looking at the repository";
      const answer = await call(doing, "GET", `repos/${owner}/${name}`, undefined, signal);
      const branch = member(answer.body, "default_branch");
      if (answer.status !== 200 || typeof branch !== "string") throw failed(doing, reasonOf(answer));
      return branch;
    },
    async find({ owner, name }, head, signal) {
      const doing = "looking for a pull request";
      const query = new URLSearchParams({ state: "all", head: `${owner}:${head}`, per_page: "100" });
      const answer = await call(doing, "GET", `repos/${owner}/${name}/pulls?${query}`, undefined, signal);
      if (answer.status !== 200 || !Array.isArray(answer.body)) throw failed(doing, reasonOf(answer));
      return answer.body.flatMap((each) => readPullRequest(each) ?? []);
    },
    async open({ owner, name }, request, signal) {
      const doing = "opening a pull request";
      const answer = await call(doing, "POST", `repos/${owner}/${name}/pulls`, request, signal);
      if (answer.status === 422 && EXISTS.test(reasonOf(answer))) return undefined;
      const opened = answer.status === 201 ? readPullRequest(answer.body) : undefined;
      if (opened === undefined) throw failed(doing, reasonOf(answer));
      return opened;
    },
  };
}

function addressOf(apiUrl: string, path: string): URL {
  const url = new URL(path, apiUrl.endsWith("/") ? apiUrl : `${apiUrl}/`);
  if (url.protocol === "https:" || (url.protocol === "http:" && ON_THIS_MACHINE.test(url.hostname))) return url;
  throw failed("reading its address", "the token would travel unprotected");
}

async function readAll(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function readPullRequest(value: unknown): PullRequest | undefined {
  const [number, url, state, body] = ["number", "html_url", "state", "body"].map((name) => member(value, name));
  if (typeof number !== "number" || typeof url !== "string" || typeof state !== "string") return undefined;
  const base = member(member(value, "base"), "ref");
  return { number, url, state, body: typeof body === "string" ? body : "", base: typeof base === "string" ? base : "" };
}

function reasonOf({ status, body }: Answer): string {
  const errors = member(body, "errors");
  const list: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const texts = [member(body, "message"), ...list.map((each) => member(each, "message"))];
  return [`status ${status}`, ...texts.filter((each) => typeof each === "string")].join(", ");
}

function failed(doing: string, detail: string): Error {
  return pawlError(GIT_ERRORS, "GITHUB_REQUEST_FAILED", { doing, detail: visibleLine(detail, 300) });
}
