/** What a workspace refuses is the end of the stage; anything else that goes wrong, a full disk too, is the end of its host. */
import { isPawlError } from "../base/errors.ts";

export async function orRefusal<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly refusal: string }> {
  try {
    return { value: await work };
  } catch (error) {
    const isRefusal = isPawlError(error) && error.code.startsWith("WORKSPACE_") && error.code !== "WORKSPACE_DISK_FULL";
    if (!isRefusal) throw error;
    return { refusal: error.message };
  }
}
