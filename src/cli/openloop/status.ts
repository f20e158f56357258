/** `pawl status WORKSPACE`: the latest heartbeat of an openloop workspace, and whether it can be believed. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RunRow } from "../../ports/store/run-index.ts";
import { isTerminal } from "../../run/reasons.ts";
import { CONFIG } from "../../runtime/doors/openloop/workspace.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Watched } from "../runs/watch.ts";
import type { Context } from "../spec.ts";
import { oneLine } from "../views/event-line.ts";
import { workspaceChecks } from "./doctor.ts";

/** The folder that was named, when it is such a workspace. */
export function workspaceNamed({ cwd }: Context, name: string): string | null {
  return existsSync(join(resolve(cwd, name), CONFIG)) ? resolve(cwd, name) : null;
}

export async function lookAtWorkspace(context: Context, runtime: Runtime, folder: string): Promise<Watched> {
  const heartbeat = await readHeartbeat(folder);
  const checks = await workspaceChecks(context, runtime, folder);
  const valid = checks.every(({ status }) => status !== "fail");
  const row = await rowOf(runtime, heartbeat);
  const stale = isStale(heartbeat, row);
  const document = { heartbeat, stale, valid, problems: checks.filter(({ status }) => status === "fail") };
  const lines =
    heartbeat === null
      ? ["no heartbeat yet"]
      : Object.entries(heartbeat).map(([key, value]) => `${key}: ${oneLine(String(value))}`);
  if (stale)
    lines.push(`stale: nobody hosts ${row?.run ?? "the run"} any more; go on with: pawl resume ${row?.run ?? "RUN"}`);
  lines.push(valid ? "the workspace is valid" : "the workspace has problems: see pawl doctor");
  return { lines, document, over: row === null || isTerminal(row.status) };
}

/** It says that something is under way, and no process is there for it. */
function isStale(heartbeat: Readonly<Record<string, unknown>> | null, row: RunRow | null): boolean {
  if (heartbeat === null || heartbeat["status"] !== "running") return false;
  return row === null || row.holder === null || isTerminal(row.status);
}

async function rowOf(runtime: Runtime, heartbeat: Readonly<Record<string, unknown>> | null): Promise<RunRow | null> {
  const run = heartbeat?.["run"];
  return typeof run === "string" ? runtime.find(run).catch(() => null) : null;
}

async function readHeartbeat(folder: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, "heartbeat.json"), "utf8"));
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
