import { describe, expect, it } from "vitest";
import { readXml, type XmlElement } from "./xml.ts";

function plain(element: XmlElement): unknown {
  return [element.name, Object.fromEntries(element.attributes), element.children.map(plain)];
}

function read(text: string): unknown {
  const result = readXml(text, 0);
  return result.ok ? plain(result.root) : result.problem;
}

describe("readXml", () => {
  it("reads elements and attributes, and leaves text, comments and CDATA out", () => {
    const text = `<?xml version="1.0"?><!-- a < b --><a x="1" y='2'>text &amp; &#65;<![CDATA[<b> & ]]><b/><c z = "3" ></c ></a>`;
    expect(read(text)).toEqual([
      "a",
      { x: "1", y: "2" },
      [
        ["b", {}, []],
        ["c", { z: "3" }, []],
      ],
    ]);
  });

  it("says where the element ends", () => {
    expect(readXml("junk<a/>rest", 4)).toMatchObject({ ok: true, end: 8 });
  });

  it("knows five entities and numbers", () => {
    expect(read(`<a x="&lt;&gt;&amp;&quot;&apos;&#65;&#x42;!"/>`)).toEqual(["a", { x: `<>&"'AB!` }, []]);
  });

  it("refuses everything else, with its place", () => {
    const texts = [
      "<a>",
      "<a></b>",
      "</a>",
      "<!DOCTYPE a [<!ENTITY x 'y'>]><a/>",
      "<a>&x;</a>",
      "<a>&#1114112;</a>",
      `<a x="&y;"/>`,
      `<a x="&#x110000;"/>`,
      `<a x="1" x="2"/>`,
      `<a x="1`,
      "<a><1/></a>",
      "<!-- open",
    ];
    expect(texts.map(read)).toEqual([
      "it ends before its last element does, at character 3",
      "it closes b, which is not open, at character 7",
      "it closes a, which is not open, at character 4",
      "it has something that is no element, at character 0",
      "it has something that is no element, at character 3",
      "it has a number that is no character, at character 13",
      "it has an attribute x that cannot be read, at character 10",
      "it has an attribute x that cannot be read, at character 17",
      "it has an attribute x that cannot be read, at character 14",
      "its element a does not end, at character 2",
      "it has something that is no element, at character 3",
      "it has something that is no element, at character 0",
    ]);
  });

  it("refuses what is too deep", () => {
    expect(read("<a>".repeat(200))).toBe("it is too deep or too large, at character 303");
  });
});
