/** The contract of the Control port. */
import { describe, expect, it, vi } from "vitest";
import type { ControlRequest } from "../../src/ports/store/control.ts";
import { buildRunId, createRun } from "../support/events-builder.ts";
import { PATIENCE_MS } from "../support/slowness.ts";
import type { OpenStore } from "./store-fixture.ts";

const CANCEL: ControlRequest = { kind: "cancel", by: "ann" };
const PAUSE: ControlRequest = { kind: "pause", by: "bob" };

export function controlContract(name: string, open: OpenStore): void {
  describe(`Control contract: ${name}`, () => {
    it("passes a request on to who watches the run, once, and to nobody else", async () => {
      const { store, another } = await open();
      const other = await another();
      const [run, quiet] = [await createRun(store.journal), await createRun(store.journal)];
      const heard: ControlRequest[] = [];
      const elsewhere: ControlRequest[] = [];
      store.control.watch(run, (request) => heard.push(request));
      store.control.watch(quiet, (request) => elsewhere.push(request));
      await store.control.request(run, CANCEL);
      await store.control.request(run, { kind: "cancel", by: "somebody else" });
      await vi.waitFor(() => expect(heard).toEqual([CANCEL]), PATIENCE_MS);
      await other.control.request(run, PAUSE);
      await vi.waitFor(() => expect(heard).toEqual([CANCEL, PAUSE]), PATIENCE_MS);
      expect(elsewhere).toEqual([]);
    });

    it("keeps a request until somebody watches", async () => {
      const { store, another } = await open();
      const run = await createRun(store.journal);
      await store.control.request(run, PAUSE);
      const heard: ControlRequest[] = [];
      (await another()).control.watch(run, (request) => heard.push(request));
      await Promise.resolve();
      expect(heard).toEqual([PAUSE]);
    });

    it("can be watched before the run exists", async () => {
      const { store } = await open();
      const run = buildRunId();
      const heard: ControlRequest[] = [];
      store.control.watch(run, (request) => heard.push(request));
      await createRun(store.journal, { run });
      await store.control.request(run, CANCEL);
      expect(heard).toEqual([CANCEL]);
    });

    it("is silent after the watch has ended, even when it ends at once", async () => {
      const { store } = await open();
      const run = await createRun(store.journal);
      const heard: ControlRequest[] = [];
      const end = store.control.watch(run, (request) => heard.push(request));
      end();
      end();
      await store.control.request(run, CANCEL);
      store.control.watch(run, (request) => heard.push(request))();
      await new Promise((resolve) => setImmediate(resolve));
      expect(heard).toEqual([]);
    });

    it("forgets settled requests and hears the same request again after that", async () => {
      const { store } = await open();
      const run = await createRun(store.journal);
      const heard: ControlRequest[] = [];
      store.control.watch(run, (request) => heard.push(request));
      await store.control.request(run, PAUSE);
      await store.control.settle(run);
      await store.control.settle(run);
      const later: ControlRequest[] = [];
      store.control.watch(run, (request) => later.push(request));
      await new Promise((resolve) => setImmediate(resolve));
      expect(later).toEqual([]);
      await store.control.request(run, PAUSE);
      expect([heard, later]).toEqual([[PAUSE, PAUSE], [PAUSE]]);
    });

    it("refuses a request for a run that does not exist", async () => {
      const { store } = await open();
      await expect(store.control.request(buildRunId(), CANCEL)).rejects.toMatchObject({ code: "JOURNAL_RUN_UNKNOWN" });
    });
  });
}
