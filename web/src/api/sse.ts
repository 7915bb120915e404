// SPDX-License-Identifier: Apache-2.0

export interface StreamMessage {
  id: string | null; // None: the message moves no resume point.
  event: string;
  data: string;
}

// Server-sent events from pieces of text that may be cut anywhere, between CR and LF too.
// What stands behind the last complete message is kept for the next piece.
export class SseParser {
  private rest = "";
  private id: string | null = null;
  private event = "";
  private data: string[] = [];
  private is_after_cr = false;
  private is_first = true;

  push(piece: string): StreamMessage[] {
    const messages: StreamMessage[] = [];
    let text = piece;
    if (this.is_first && text.length > 0) {
      this.is_first = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (this.is_after_cr && text.startsWith("\n")) text = text.slice(1);
    if (piece.length > 0) this.is_after_cr = piece.endsWith("\r");
    let start = 0;
    for (let at = 0; at < text.length; ++at) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) continue;
      this.takeLine(this.rest + text.slice(start, at), messages);
      this.rest = "";
      if (code === 13 && text.charCodeAt(at + 1) === 10) ++at;
      start = at + 1;
    }
    this.rest += text.slice(start);
    return messages;
  }

  private takeLine(line: string, messages: StreamMessage[]): void {
    if (line === "") return this.finish(messages);
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") this.data.push(value);
    else if (field === "event") this.event = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
  }

  private finish(messages: StreamMessage[]): void {
    if (this.data.length > 0 || this.event !== "") {
      messages.push({ id: this.id, event: this.event || "message", data: this.data.join("\n") });
    }
    this.id = null;
    this.event = "";
    this.data = [];
  }
}
