/**
 * LangGraph.js with its SQLite saver: a chain of ten nodes, every checkpoint stored before the next node (durability
 * `sync`). The saver leaves SQLite at a level that a power cut can undo; here it is set to FULL and checked after use.
 */
import { join } from "node:path";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";

const FULL = 2;

function buildGraph(meter, saver, stages) {
  const graph = new StateGraph(Annotation.Root({ result: Annotation() }));
  for (let i = 0; i < stages; i += 1) {
    graph.addNode(`s${i}`, (_state, config) => ({ result: meter.body(config.configurable.thread_id) }));
    graph.addEdge(i === 0 ? START : `s${i - 1}`, `s${i}`);
  }
  graph.addEdge(`s${stages - 1}`, END);
  return graph.compile({ checkpointer: saver });
}

export const system = {
  async open({ dir, meter }) {
    const db = new Database(join(dir, "langgraph.db"));
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    const saver = new SqliteSaver(db);
    const graphs = new Map();
    let runs = 0;
    const graphOf = (stages) => {
      const graph = graphs.get(stages) ?? buildGraph(meter, saver, stages);
      graphs.set(stages, graph);
      return graph;
    };
    const session = {
      facts: { driver: "better-sqlite3", synchronous: "" },
      async prepare({ stages }) {
        graphOf(stages);
      },
      async run({ stages }) {
        runs += 1;
        const run = `run-${runs}`;
        const config = { configurable: { thread_id: run }, durability: "sync", recursionLimit: stages + 5 };
        await graphOf(stages).invoke({ result: "" }, config);
        const level = db.pragma("synchronous", { simple: true });
        if (level !== FULL) throw new Error(`the saver runs with synchronous=${level}, not FULL`);
        session.facts.synchronous = String(level);
        return run;
      },
      async close() {
        db.close();
      },
    };
    return session;
  },
};
