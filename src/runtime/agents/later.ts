import { sharedAttempt } from "../../base/shared-attempt.ts";

type Method = (...call: readonly unknown[]) => unknown;

/** A part that is loaded with its first use: many programs that embed Pawl, and most commands, start no process. */
export function later<T extends object>(methods: readonly (keyof T & string)[], load: () => Promise<T>): T {
  const part = sharedAttempt(load);
  const call = (method: keyof T): Method => {
    return async (...args) => ((await part.get())[method] as Method)(...args);
  };
  return Object.fromEntries(methods.map((method) => [method, call(method)])) as T;
}
