/** The answer goes to whom it is for, with everything that tools have attached. What goes wrong there is recorded. */
import type { Chronicle } from "../journal/chronicle.ts";
import type { Ending } from "../loop/session.ts";
import type { Delivery, Target } from "../ports.ts";
import type { ToolFile } from "../tools/tool.ts";

export async function deliver(
  delivery: Delivery | undefined,
  target: Target | undefined,
  ending: Ending,
  attachments: readonly ToolFile[],
  chronicle: Chronicle,
): Promise<void> {
  if (delivery === undefined || target === undefined) return;
  const { status, output, error } = ending;
  try {
    if (status === "completed") await delivery.deliver(target, output, attachments);
    else await delivery.deliverError(target, { status, message: error?.message ?? status });
  } catch (problem) {
    await chronicle.note("delivery_failed", problem instanceof Error ? problem.message : String(problem));
  }
}
