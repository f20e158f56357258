/** The answer goes to whom it is for, with everything that tools have attached. What goes wrong there is recorded. */
import type { Chronicle } from "../journal/chronicle.ts";
import type { Ending } from "../loop/session.ts";
import { orLate } from "../patience.ts";
import type { AgentPorts, Target } from "../ports.ts";
import type { ToolFile } from "../tools/tool.ts";

export async function deliver(
  { delivery, clock }: Pick<AgentPorts, "delivery" | "clock">,
  target: Target | undefined,
  ending: Ending,
  attachments: readonly ToolFile[],
  chronicle: Chronicle,
): Promise<void> {
  if (delivery === undefined || target === undefined) return;
  const { status, output, error } = ending;
  try {
    const told =
      status === "completed"
        ? delivery.deliver(target, output, attachments)
        : delivery.deliverError(target, { status, message: error?.message ?? status });
    await orLate(told, clock);
  } catch (problem) {
    await chronicle.note("delivery_failed", problem instanceof Error ? problem.message : String(problem));
  }
}
