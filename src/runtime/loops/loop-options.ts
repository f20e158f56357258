/** A loop is compiled the same way, whoever starts it. */
import type { Loop } from "../../blueprint/project/project-file.ts";
import type { CompileOptions } from "../runtime.ts";

export function loopOptions({ name, level, params, agent }: Loop): CompileOptions {
  return {
    level,
    params: params as CompileOptions["params"] & {},
    loop: name,
    ...(agent === null ? {} : { agent }),
  };
}
