#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// What the page weighs on the wire, compressed as the server sends it. Exit 1 above the limit.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const kMaxBytes = 300_000;
const dist = join(dirname(fileURLToPath(import.meta.url)), "..", "dist");
const filesIn = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });

let total = 0;
for (const path of filesIn(dist)) {
  const body = readFileSync(path);
  const packed = gzipSync(body, { level: 9 }).length;
  const name = relative(dist, path);
  const is_page = !name.startsWith("report/");
  if (is_page) total += packed;
  console.log(
    `${name.padEnd(24)} ${String(body.length).padStart(8)} B  ${String(packed).padStart(7)} B gzip${is_page ? "" : "  (in hone report, not on the page)"}`,
  );
}
const holds = total < kMaxBytes;
console.log(
  `weight: ${holds ? "holds" : "falls short"}: ${(total / 1000).toFixed(1)} kB (under ${kMaxBytes / 1000} kB)`,
);
process.exit(holds ? 0 : 1);
