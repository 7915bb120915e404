// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { SseParser, type StreamMessage } from "./sse";

const kStream =
  ': still here\r\n\r\nid: 1\r\nevent: block\r\ndata: {"a":1}\r\n\r\n' +
  'event: progress\ndata: {"b":\ndata: 2}\n\nid: 2\rdata:x\r\rdata: cut';

const kMessages: StreamMessage[] = [
  { id: "1", event: "block", data: '{"a":1}' },
  { id: null, event: "progress", data: '{"b":\n2}' },
  { id: "2", event: "message", data: "x" },
];

const all = (text: string) => [...new SseParser().push(text)];

describe("SseParser", () => {
  it("reads messages with any line end, and skips comments", () => {
    expect(all(kStream)).toEqual(kMessages);
  });

  it("reads the same wherever the text is cut in two", () => {
    for (let cut = 0; cut <= kStream.length; ++cut) {
      const parser = new SseParser();
      const found = [...parser.push(kStream.slice(0, cut)), ...parser.push(kStream.slice(cut))];
      expect(found, `cut at ${cut}`).toEqual(kMessages);
    }
  });

  it("reads the same character by character", () => {
    const parser = new SseParser();
    expect([...kStream].flatMap((character) => [...parser.push(character)])).toEqual(kMessages);
  });

  it("does not carry an id over to the next message", () => {
    const found = all("id: 7\ndata: a\n\ndata: b\n\n");
    expect(found.map((message) => message.id)).toEqual(["7", null]);
  });

  it("takes a byte order mark off the first piece only", () => {
    expect(all("\ufeffdata: a\n\n")).toEqual([{ id: null, event: "message", data: "a" }]);
  });

  it("ignores an id with a zero in it, and fields that it does not know", () => {
    expect(all("id: 1\0\nretry: 5\nfoo\ndata: a\n\n")).toEqual([
      { id: null, event: "message", data: "a" },
    ]);
  });
});
