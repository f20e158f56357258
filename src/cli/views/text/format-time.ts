/** Times and counts for people, rounded to what they can use. */
import { formatInstant } from "../../../base/text/instant.ts";

/** 850ms · 12.4s · 3m05s · 2h07m · 3d04h */
export function formatElapsed(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole}ms`;
  if (whole < 59_950) return `${(whole / 1000).toFixed(1)}s`;
  const seconds = Math.round(whole / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
}

/** 2026-03-01 14:05:09, in UTC so that the same journal reads the same everywhere. */
export function formatTime(at: number): string {
  return formatInstant(at).slice(0, -1).replace("T", " ");
}

/** `3m05s ago` */
export function formatAge(at: number, now: number): string {
  const age = Math.max(0, now - at);
  return age < 1000
    ? "now"
    : `${formatElapsed(age < 60_000 ? Math.floor(age / 1000) * 1000 : age).replace(".0s", "s")} ago`;
}

/** `1 stage`, `2 stages` */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
