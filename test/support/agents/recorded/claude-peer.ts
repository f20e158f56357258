/**
 * Plays Claude Code from a recording, behind the wall and over the same pipes: it says what was said, waits for what it was told,
 * and gives up when it is told anything else. What it was allowed to do it does.
 */
import { chmodSync, writeFileSync } from "node:fs";
import { type Recording, readRecording } from "./recording.ts";

/** Writes the program that plays these recordings: `again` to whoever goes on with a session. */
export function makePeer(path: string, version: string, first: string, again: string = first): string {
  const recordings = { first: readRecording(first), again: readRecording(again) };
  const played = { version, ...recordings };
  writeFileSync(path, `#!${process.execPath}\n(${play.toString()})(${JSON.stringify(played)});\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Runs as a program of its own: it knows nothing of this file. */
function play(played: { version: string; first: Recording; again: Recording }): void {
  const fs = process.getBuiltinModule("node:fs");
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { createInterface } = process.getBuiltinModule("node:readline");
  const argv = process.argv.slice(2);
  if (argv.includes("--version")) {
    process.stdout.write(`${played.version} (Claude Code)\n`);
    return;
  }
  const isAgain = argv.includes("--resume");
  const session = argv[argv.indexOf(isAgain ? "--resume" : "--session-id") + 1] ?? "";
  const { exit, said: recorded } = isAgain ? played.again : played.first;
  const said = [...recorded];
  const old = /"session_id":"([^"]+)"/.exec(JSON.stringify(said))?.[1] ?? "none";
  const pending = new Map<string, { tool_name: string; tool_input: Record<string, string> }>();
  let at = 0;

  const give = (up: string): never => {
    process.stderr.write(`${up}\n`);
    process.exit(99);
  };
  /** What matters of a line: its kind, and what was decided. */
  const gist = (line: unknown): string => {
    const { type, request, response } = line as Record<string, { [key: string]: unknown }>;
    const inner = (response?.["response"] ?? {}) as { hookSpecificOutput?: { permissionDecision?: string } };
    const decision = inner.hookSpecificOutput?.permissionDecision ?? (inner as { behavior?: string }).behavior;
    return JSON.stringify([type, request?.["subtype"], response?.["subtype"], response?.["request_id"], decision]);
  };
  /** What it was allowed to do happens. */
  const act = (line: unknown): void => {
    const { response } = line as { response?: { request_id?: string; response?: unknown } };
    const asked = pending.get(response?.request_id ?? "");
    if (asked === undefined || !/"(allow)"/.test(JSON.stringify(response?.response))) return;
    const { file_path = "", content = "", command = "" } = asked.tool_input;
    if (asked.tool_name === "Write") fs.writeFileSync(file_path, content);
    if (asked.tool_name === "Bash") spawn("/bin/sh", ["-c", command], { stdio: "ignore" }).unref();
  };
  const speak = (): void => {
    for (; at < said.length && said[at]?.by === "agent"; at += 1) {
      const line = said[at]?.line as { type?: string; request_id?: string; request?: never };
      if (line.type === "control_request") pending.set(line.request_id ?? "", askedIn(line.request));
      process.stdout.write(`${JSON.stringify(line).replaceAll(old, session)}\n`);
    }
    if (at >= said.length && exit === null) setInterval(() => undefined, 1000);
  };
  const askedIn = (request: { input: never; tool_name?: string } | undefined): never =>
    (request?.tool_name === undefined
      ? request?.input
      : { tool_name: request.tool_name, tool_input: request.input }) as never;

  speak();
  createInterface({ input: process.stdin })
    .on("line", (text) => {
      const line: unknown = JSON.parse(text);
      // What is said about several calls at once may come in another order.
      const open = said.findIndex((each, index) => index >= at && each.by === "host" && gist(each.line) === gist(line));
      if (open === -1) give(`was told ${gist(line)}, which nobody had said`);
      act(line);
      said.splice(open, 1);
      if (said[at]?.by !== "host") speak();
    })
    .on("close", () => {
      if (exit !== null) process.exit(exit);
    });
}
