// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { circlesIn } from "./circles.mjs";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "circles-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function circlesOf(files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return circlesIn(folder).map((circle) => circle.map((file) => relative(folder, file)).join(" "));
}

describe("circlesIn", () => {
  it("finds nothing where two need a third", () => {
    const files = {
      "a.ts": 'import { c } from "./c"; import { b } from "./b";',
      "b.ts": 'import { c } from "./c";',
      "c.ts": 'import "preact"; import "./c.css"; // import "./a";',
    };
    expect(circlesOf(files)).toEqual([]);
  });

  it("counts imports of types, and goes through folders", () => {
    const files = {
      "a.ts": 'import { B } from "./parts/b";',
      "parts/b.tsx": 'import type { A } from "../a";',
    };
    expect(circlesOf(files)).toEqual(["a.ts parts/b.tsx a.ts"]);
  });

  it("knows every way to import", () => {
    const files = {
      "a.ts": 'export * from "./b";',
      "b.ts": 'const c = await import("./c.js");',
      "c.ts": 'export type A = import("./d").A;',
      "d.ts": 'import "./a";',
    };
    expect(circlesOf(files)).toEqual(["a.ts b.ts c.ts d.ts a.ts"]);
  });

  it("tells each import that closes a circle", () => {
    const files = {
      "view.ts": 'import "./one"; import "./two";',
      "one.ts": 'import type { Props } from "./view";',
      "two.ts": 'import type { Props } from "./view";',
    };
    expect(circlesOf(files)).toEqual(["one.ts view.ts one.ts", "view.ts two.ts view.ts"]);
  });
});
