/** The board on SQLite: one row for each document. */
import { canonical } from "../../../base/json.ts";
import type { Board, Page } from "../../../ports/loops/board.ts";
import type { LoopParts } from "./loop-parts.ts";

interface PageRow {
  readonly name: string;
  readonly body: string;
}

/** Names are compared as bytes, and no character of them is behind this one. */
const LAST = "\u{10ffff}";

export function createSqliteBoard({ db, commits, guarded, hosts, becomeHost }: Omit<LoopParts, "uptime">): Board {
  const select = db.prepare<PageRow>("SELECT name, body FROM board WHERE name = ?1");
  const upsert = db.prepare(
    "INSERT INTO board(name, body) VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET body = excluded.body",
  );
  const remove = db.prepare("DELETE FROM board WHERE name = ?1");
  const page = db.prepare<PageRow>(
    "SELECT name, body FROM board WHERE name >= ?1 AND name < ?2 AND name > ?3 ORDER BY name LIMIT ?4",
  );
  const load = (name: string): Page => {
    const row = select.get(name);
    return row === undefined ? null : (JSON.parse(row.body) as Page);
  };

  return {
    change: (names, law) =>
      commits.run(() => () => {
        const { keep, result } = law(names.map(load));
        const texts = names.map((_, index) => (keep[index] == null ? null : canonical(keep[index] as Page)));
        for (const [index, name] of names.entries()) {
          const text = texts[index] as string | null;
          if (text === null) remove.run(name);
          else upsert.run(name, text);
        }
        return result;
      }),
    host: () =>
      commits.run(() => {
        becomeHost();
        return () => {
          hosts.register();
          return hosts.self() ?? "";
        };
      }),
    isGone: (host) => guarded(() => !hosts.isAlive(host)),
    read: (name) => guarded(() => load(name)),
    list: (prefix, after, limit) =>
      guarded(() =>
        page
          .all(prefix, prefix + LAST, after, limit)
          .map(({ name, body }) => ({ name, body: JSON.parse(body) as Page })),
      ),
  };
}
