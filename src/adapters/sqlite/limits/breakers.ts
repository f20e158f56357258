/** Breakers on SQLite: one row for each target that was ever in trouble. */
import { canonical } from "../../../base/json.ts";
import {
  type Ask,
  admit,
  type Breaker,
  type BreakerJson,
  CLOSED,
  park,
  report,
  reset,
  viewBreaker,
} from "../../../limits/breaker/breaker.ts";
import { readTicket } from "../../../limits/breaker/ticket.ts";
import type { BreakerPage, BreakerQuery, Breakers } from "../../../ports/store/breakers.ts";
import type { Database } from "../driver.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { Hosts } from "../hosts.ts";

interface BreakersParts {
  readonly db: Database;
  readonly commits: GroupCommit;
  readonly hosts: Hosts;
  readonly guarded: <T>(work: () => T) => Promise<T>;
  /** Makes this process a host; see `Hosts.lock`. */
  readonly becomeHost: () => void;
}

interface BreakerRow {
  readonly target: string;
  readonly body: string;
}

const MOST_ROWS = 1000;

export function createSqliteBreakers({ db, commits, hosts, guarded, becomeHost }: BreakersParts): Breakers {
  const select = db.prepare<BreakerRow>("SELECT target, body FROM breakers WHERE target = ?1");
  const upsert = db.prepare(
    "INSERT INTO breakers(target, body) VALUES(?1, ?2) ON CONFLICT(target) DO UPDATE SET body = excluded.body",
  );
  const page = db.prepare<BreakerRow>("SELECT target, body FROM breakers WHERE target > ?1 ORDER BY target LIMIT ?2");

  const load = (target: string): Breaker => {
    const row = select.get(target);
    return row === undefined ? CLOSED : (JSON.parse(row.body) as Breaker);
  };
  const save = (target: string, breaker: Breaker): void => {
    upsert.run(target, canonical(breaker as BreakerJson));
  };
  const isGone = (host: string): boolean => !hosts.isAlive(host);

  function list({ at, limit, cursor = "" }: BreakerQuery): BreakerPage {
    const most = Math.max(0, Math.min(Math.trunc(limit), MOST_ROWS));
    const rows = page.all(cursor, most + 1);
    const shown = rows.slice(0, most);
    const last = shown.at(-1);
    return {
      breakers: shown.map(({ target, body }) => ({ target, ...viewBreaker(JSON.parse(body) as Breaker, at) })),
      next: rows.length > most && last !== undefined ? last.target : null,
    };
  }

  return {
    async admit(target, rules, at) {
      const ask = { target, rules, at };
      const seen = await guarded(() => {
        const before = load(target);
        const decided = admit(before, { ...ask, host: "" }, isGone);
        return decided.breaker === before ? decided.admission : null;
      });
      if (seen !== null) return seen;
      // Whoever is to make a trial must be known to live.
      return commits.run(() => {
        becomeHost();
        return () => {
          hosts.register();
          const before = load(target);
          const own: Ask = { ...ask, host: hosts.self() ?? "" };
          const { admission, breaker } = admit(before, own, isGone);
          if (breaker !== before) save(target, breaker);
          return admission;
        };
      });
    },
    async report(text, end, at) {
      const ticket = readTicket(text);
      if (ticket === null) return;
      const { target } = ticket;
      const isNews = await guarded(() => {
        const before = load(target);
        return report(before, ticket, end, at) !== before;
      });
      if (!isNews) return;
      await commits.run(() => () => {
        const before = load(target);
        const after = report(before, ticket, end, at);
        if (after !== before) save(target, after);
      });
    },
    park: (target, until, why, at) => commits.run(() => () => save(target, park(load(target), until, why, at))),
    reset: (target) =>
      commits.run(() => () => {
        const before = load(target);
        const after = reset(before);
        if (after !== before) save(target, after);
        return after !== before;
      }),
    list: (query) => guarded(() => list(query)),
  };
}
