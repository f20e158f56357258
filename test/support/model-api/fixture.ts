/** The scripted model API for one test; it goes when the test is over. */
import { onTestFinished } from "vitest";
import type { Script } from "./script.ts";
import { type ModelApi, type ModelApiOptions, startModelApi } from "./server.ts";

/** To be called inside a test. */
export async function modelApi(script: Script, options?: ModelApiOptions): Promise<ModelApi> {
  const api = await startModelApi(script, options);
  onTestFinished(() => api.close());
  return api;
}
