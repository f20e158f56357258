/** File systems that other machines may write to as well, by the number that `statfs` gives them: locks there do not hold between machines. */

export interface SharedFolder {
  readonly name: string;
  /** false: it may be local after all; nothing tells. */
  readonly isCertain: boolean;
}

const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x564c, "NCP"],
]);
/** A program serves it: sshfs, a share of a virtual machine, or a disk of this one. */
const FUSE = 0x65735546;

/** null: it is local, as far as its number tells. */
export function sharedFolder(type: number): SharedFolder | null {
  // Where a long has 32 bits the number is negative.
  const unsigned = type >>> 0;
  const name = NETWORK.get(unsigned);
  if (name !== undefined) return { name, isCertain: true };
  return unsigned === FUSE ? { name: "FUSE", isCertain: false } : null;
}
