// SPDX-License-Identifier: Apache-2.0
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}

const sources = filesIn("src").filter((path) => /\.tsx?$/.test(path) && !path.includes(".test."));

describe("the page", () => {
  it("never makes markup of text", () => {
    const ways =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc|\beval\(|new Function/;
    for (const path of sources) expect(readFileSync(path, "utf8"), path).not.toMatch(ways);
  });

  it("has no inline script and no style attribute", () => {
    const html = readFileSync("index.html", "utf8");
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(html).not.toMatch(/\bstyle=|\bon[a-z]+=/);
    for (const path of sources)
      expect(readFileSync(path, "utf8"), path).not.toMatch(/\bstyle=["{]/);
  });

  it("asks nobody but its own server", () => {
    for (const path of sources) {
      const text = readFileSync(path, "utf8").replace("http://www.w3.org/", "");
      expect(text, path).not.toMatch(/https?:\/\//);
    }
  });

  it("keeps tokens out of addresses and out of what outlives the tab", () => {
    for (const path of sources) {
      const text = readFileSync(path, "utf8");
      expect(text, path).not.toMatch(/[?&]token=/);
      if (path.includes("token")) expect(text, path).not.toMatch(/localStorage/);
    }
  });
});
