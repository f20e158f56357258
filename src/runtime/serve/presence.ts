/** Whether a server lives: it holds a place among what runs, which takes nothing and is gone the instant that its process is. */
import { NO_WEIGHT } from "../../limits/admission/admission.ts";
import type { Admissions } from "../../ports/loops/admissions.ts";

const SERVER = "server";

export async function announceServer(admissions: Pick<Admissions, "ask">): Promise<void> {
  await admissions.ask({ key: SERVER, weight: NO_WEIGHT, total: NO_WEIGHT });
}

export async function withdrawServer(admissions: Pick<Admissions, "leave">): Promise<void> {
  await admissions.leave(SERVER);
}

export async function isServed(admissions: Pick<Admissions, "list">): Promise<boolean> {
  return (await admissions.list()).some(({ key }) => key === SERVER);
}
