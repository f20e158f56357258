/** Admissions on SQLite: a short table of what runs and who waits. Each answer is given inside one transaction. */
import { admitLoad, isInLine, type Load } from "../../../limits/admission/admission.ts";
import type { AdmissionAnswer, AdmissionAsk, AdmissionRow, Admissions } from "../../../ports/loops/admissions.ts";
import type { Hosts } from "../hosts.ts";
import type { LoopParts } from "./loop-parts.ts";

interface Row {
  readonly id: number;
  readonly key: string;
  readonly worker: string;
  readonly body: string;
  readonly held: 0 | 1;
  readonly passed: number;
  readonly seen: number;
}

export function createSqliteAdmissions({ db, commits, hosts, guarded, becomeHost, uptime }: LoopParts): Admissions {
  const all = db.prepare<Row>("SELECT id, key, worker, body, held, passed, seen FROM admissions ORDER BY id");
  const put = db.prepare(
    `INSERT INTO admissions(key, worker, body, held, passed, seen) VALUES(?1, ?2, ?3, ?4, 0, ?5)
     ON CONFLICT(worker, key) DO UPDATE SET body = excluded.body, held = excluded.held, seen = excluded.seen`,
  );
  const pass = db.prepare("UPDATE admissions SET passed = passed + 1 WHERE id = ?1");
  const remove = db.prepare("DELETE FROM admissions WHERE worker = ?1 AND key = ?2");

  /** Those whose process lives, and that wait no longer than they ask. */
  function sweep(now: number): readonly Row[] {
    const rows = all.all();
    const gone = goneOf(rows, hosts);
    const stays = ({ worker, held, seen }: Row): boolean => !gone.has(worker) && (held === 1 || isInLine(seen, now));
    for (const row of rows) if (!stays(row)) remove.run(row.worker, row.key);
    return rows.filter(stays);
  }

  function ask({ key, weight, total }: AdmissionAsk): AdmissionAnswer {
    hosts.register();
    const [self, now] = [hosts.self() ?? "", uptime()];
    const rows = sweep(now);
    const own = rows.find((row) => row.worker === self && row.key === key);
    if (own?.held === 1) return { admitted: true };
    const ahead = rows.filter(({ id, held }) => held === 0 && id < (own?.id ?? Number.POSITIVE_INFINITY));
    const held = rows.filter((row) => row.held === 1).map(loadOf);
    const waiting = ahead.map((row) => ({ ...loadOf(row), passed: row.passed }));
    const answer = admitLoad(held, waiting, { weight, total });
    put.run(key, self, JSON.stringify({ weight, total }), answer.admitted ? 1 : 0, now);
    if (!answer.admitted) return answer;
    for (const place of answer.passes) pass.run((ahead[place] as Row).id);
    return { admitted: true };
  }

  return {
    ask: (asking) =>
      commits.run(() => {
        becomeHost();
        return () => ask(asking);
      }),
    leave: (key) =>
      commits.run(() => () => {
        remove.run(hosts.self() ?? "", key);
      }),
    list: () => guarded(() => list(all.all(), hosts)),
  };
}

function goneOf(rows: readonly Row[], hosts: Hosts): ReadonlySet<string> {
  return new Set([...new Set(rows.map(({ worker }) => worker))].filter((worker) => !hosts.isAlive(worker)));
}

function loadOf({ body }: Row): Load {
  return JSON.parse(body) as Load;
}

function list(rows: readonly Row[], hosts: Hosts): readonly AdmissionRow[] {
  const gone = goneOf(rows, hosts);
  const shown = rows.flatMap((row) => {
    const holder = gone.has(row.worker) ? null : hosts.holder(row.worker);
    return holder === null ? [] : [{ key: row.key, weight: loadOf(row).weight, isHeld: row.held === 1, holder }];
  });
  return [...shown.filter(({ isHeld }) => isHeld), ...shown.filter(({ isHeld }) => !isHeld)];
}
