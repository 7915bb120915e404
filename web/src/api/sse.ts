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

  // The messages that this piece completes, each read when it is asked for; take all of them.
  *push(piece: string): Generator<StreamMessage> {
    let text = piece;
    if (this.is_first && text.length > 0) {
      this.is_first = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (this.is_after_cr && text.startsWith("\n")) text = text.slice(1);
    if (piece.length > 0) this.is_after_cr = piece.endsWith("\r");
    const has_cr = text.includes("\r");
    let start = 0;
    for (;;) {
      const end = has_cr ? lineEnd(text, start) : text.indexOf("\n", start);
      if (end < 0) break;
      const line = this.rest + text.slice(start, end);
      this.rest = "";
      start = text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10 ? end + 2 : end + 1;
      if (line !== "") this.takeLine(line);
      else if (this.data.length > 0 || this.event !== "") yield this.finish();
      else this.id = null;
    }
    this.rest += text.slice(start);
  }

  private takeLine(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") this.data.push(value);
    else if (field === "event") this.event = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
  }

  private finish(): StreamMessage {
    const message = { id: this.id, event: this.event || "message", data: this.data.join("\n") };
    this.id = null;
    this.event = "";
    this.data = [];
    return message;
  }
}

function lineEnd(text: string, start: number): number {
  for (let at = start; at < text.length; ++at) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return at;
  }
  return -1;
}
