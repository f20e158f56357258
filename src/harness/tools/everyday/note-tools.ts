/** Notes of an agent, by key, within a quota. */
import type { Tool } from "../tool.ts";

/** Where notes are kept. */
export interface NoteStore {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  delete(key: string): boolean;
  /** In any order. */
  entries(): Iterable<readonly [string, string]>;
}

export interface NoteQuota {
  readonly keys: number;
  readonly bytes: number;
}

const QUOTA: NoteQuota = { keys: 200, bytes: 256 * 1024 };
const KEY = { type: "string", minLength: 1, maxLength: 200 };
const OWN = { risk: "low", timeout: "fast", idempotent: true, safeToShare: true } as const;

/** Without a store they are gone with the run. */
export function createNoteTools(notes: NoteStore = new Map(), quota: NoteQuota = QUOTA): readonly Tool[] {
  const keyOnly = { type: "object", properties: { key: KEY }, required: ["key"], additionalProperties: false };
  return [
    {
      ...OWN,
      name: "kv_get",
      summary: "The note with this key.",
      input: keyOnly,
      requests: () => [],
      run: async ({ key }) => {
        const value = notes.get(String(key));
        return value === undefined ? { ok: false, error: "there is no such note" } : { ok: true, output: value };
      },
    },
    {
      ...OWN,
      name: "kv_set",
      summary: "Keeps a text under a key; a note that is there is replaced.",
      input: {
        type: "object",
        properties: { key: KEY, value: { type: "string" } },
        required: ["key", "value"],
        additionalProperties: false,
      },
      requests: () => [],
      run: async ({ key, value }) => {
        const others = [...notes.entries()].filter(([name]) => name !== key);
        const bytes = [...others, [String(key), String(value)] as const].reduce((sum, note) => sum + sizeOf(note), 0);
        if (others.length + 1 > quota.keys) return { ok: false, error: `there may be at most ${quota.keys} notes` };
        if (bytes > quota.bytes) return { ok: false, error: `notes may have ${quota.bytes} bytes in all` };
        notes.set(String(key), String(value));
        return { ok: true, output: { notes: others.length + 1, bytes } };
      },
    },
    {
      ...OWN,
      name: "kv_delete",
      summary: "Removes the note with this key.",
      input: keyOnly,
      requests: () => [],
      run: async ({ key }) => ({ ok: true, output: { deleted: notes.delete(String(key)) } }),
    },
    {
      ...OWN,
      name: "kv_list",
      summary: "The keys of all notes.",
      input: { type: "object", properties: {}, additionalProperties: false },
      requests: () => [],
      run: async () => ({ ok: true, output: [...notes.entries()].map(([name]) => name).sort() }),
    },
  ];
}

function sizeOf([key, value]: readonly [string, string]): number {
  return Buffer.byteLength(key) + Buffer.byteLength(value);
}
