/**
 * timeline.jsonl is what the journal tells, byte for byte. Each line has its one place in the file, so that two who write the same
 * run write the same there, and whatever else the file holds (half a line, a line of somebody's own) gives way.
 */
import type { FolderFiles } from "../folder-files.ts";

export interface TimelineFile {
  /** The next line. */
  tell(line: string): Promise<void>;
  /** Nothing more comes: what stood beyond the last line goes. */
  end(): Promise<void>;
}

export async function openTimeline(files: FolderFiles, name: string): Promise<TimelineFile> {
  const found = Buffer.from(await files.read(name));
  let at = 0;
  // What could not be written goes with the next: a hole would be no line.
  let late = Buffer.alloc(0);
  return {
    async tell(line) {
      const bytes = Buffer.concat([late, Buffer.from(`${line}\n`)]);
      const place = at - late.length;
      at = place + bytes.length;
      late = bytes;
      const there = found.subarray(place, at);
      // Where there is only less than the line, somebody else may be writing it.
      const isOther = !there.equals(bytes.subarray(0, there.length));
      if (!there.equals(bytes)) await files.put(name, { at: place, bytes, cut: isOther });
      late = Buffer.alloc(0);
    },
    async end() {
      if (found.length > at) await files.put(name, { at, bytes: Buffer.alloc(0), cut: true });
    },
  };
}
