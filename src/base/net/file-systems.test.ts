import { expect, test } from "vitest";
import { sharedFolder } from "./file-systems.ts";

test.each([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42 | 0, "CIFS"],
  [0x01021997, "9p"],
])("T15: %i is a network file system", (type, name) => {
  expect(sharedFolder(type)).toEqual({ name, isCertain: true });
});

test("T15: what a program serves may be shared", () => {
  expect(sharedFolder(0x65735546)).toEqual({ name: "FUSE", isCertain: false });
});

test.each([0xef53, 0x01021994, 0x9123683e, 0x58465342, 0x794c7630, 0])("T15: %i is local", (type) => {
  expect(sharedFolder(type)).toBeNull();
});
