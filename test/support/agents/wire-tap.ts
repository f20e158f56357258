/** A plain pipe in front of a server that keeps every byte that passes, in both directions. */
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface WireTap {
  readonly url: string;
  /** All that was said so far. */
  heard(): string;
}

/** To be called inside a test. */
export async function tapInFront(url: string): Promise<WireTap> {
  const { hostname, port } = new URL(url);
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on("data", (chunk: Buffer) => chunks.push(chunk));
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  };
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    join(client, upstream);
    join(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  const { port: own } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${own}`, heard: () => Buffer.concat(chunks).toString("latin1") };
}
