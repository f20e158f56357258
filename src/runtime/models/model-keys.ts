import { readKeys } from "../../gateway/keys.ts";
import { PROVIDERS } from "../../gateway/providers.ts";
import type { Config } from "../config.ts";

/** Providers of models that there is a key for. Throws GATEWAY_KEYS_EXPOSED or GATEWAY_KEYS_UNFIT. */
export function modelKeys({ hostEnv: env, models }: Config): ReadonlySet<string> {
  return new Set(readKeys({ providers: PROVIDERS, env, file: models.keysFile }).keys());
}
