import { formatDuration } from "../../base/duration.ts";
import type { Trigger } from "./project-file.ts";

/** When a loop is started, in a few words. */
export function triggerText(trigger: Trigger | null): string {
  switch (trigger?.kind) {
    case undefined:
      return "by hand";
    case "every":
      return `every ${[...new Set([trigger.minMs, trigger.maxMs])].map(formatDuration).join(" to ")}`;
    case "cron":
      return `at ${trigger.text} ${trigger.zone}`;
    case "watch":
      return `when ${trigger.files.join(", ")} changes`;
    case "watch_ref":
      return `when ${trigger.ref} moves`;
    case "webhook":
      return "by webhook";
  }
}
