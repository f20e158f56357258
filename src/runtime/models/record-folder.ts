/** A record of model traffic in a folder: one file for each answer, in the order they came to their end. */
import { writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pawlError } from "../../base/errors.ts";
import type { RecordedCall } from "../../gateway/record/recorded-call.ts";
import { GATEWAY_ERRORS } from "../../ports/errors/gateway-errors.ts";

const NAME = /^call-\d{6}\.json$/;

/** Throws GATEWAY_RECORD_UNFIT for a folder that holds something: two records in one place would be none. */
export async function createRecordFolder(folder: string): Promise<(call: RecordedCall) => void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw unfit(folder, "it is not empty");
  return (call) => {
    const name = `call-${String(call.order).padStart(6, "0")}.json`;
    writeFileSync(join(folder, name), `${JSON.stringify(call, null, 2)}\n`, { flag: "wx", mode: 0o600 });
  };
}

/** A folder that was recorded, or a file with one call a line, as a stage leaves it. */
export async function readRecord(path: string): Promise<readonly RecordedCall[]> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() === true) {
    const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line, at) => readCall(line, path, `line ${at + 1}`));
  }
  const names = (await readdir(path).catch(() => [])).filter((name) => NAME.test(name)).sort();
  if (names.length === 0) throw unfit(path, "there is no record in it");
  return Promise.all(names.map(async (name) => readCall(await readFile(join(path, name), "utf8"), path, name)));
}

function readCall(text: string, path: string, place: string): RecordedCall {
  try {
    const call = JSON.parse(text) as RecordedCall;
    const isOurs = call.version === 1 && typeof call.digest === "string" && typeof call.status === "number";
    if (isOurs && Number.isSafeInteger(call.order) && typeof call.headers === "object") return call;
  } catch {
    // Said below.
  }
  throw unfit(path, `${place} is not a recorded call`);
}

function unfit(path: string, problem: string): Error {
  return pawlError(GATEWAY_ERRORS, "GATEWAY_RECORD_UNFIT", { path, problem });
}
