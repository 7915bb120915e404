// SPDX-License-Identifier: Apache-2.0
// pack DIST PACK: the files of the built page in one file, which hone/server/page/page.cc reads.
//
//   hone-page 1
//   PATH TYPE GZIP_BYTES PLAIN_BYTES ETAG      a line for each file, sorted by path
//   (an empty line; ETAG is the SHA-256 of the plain bytes)
//   the bytes of each file, first compressed, then plain

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = {
  ".html": "text/html;charset=utf-8",
  ".js": "text/javascript;charset=utf-8",
  ".css": "text/css;charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
};

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

const [dist, pack] = process.argv.slice(2);
const lines = [];
const bytes = [];
for (const file of filesUnder(dist).sort()) {
  const path = relative(dist, file);
  const type = TYPES[extname(file)];
  if (type === undefined || /\s/.test(path)) {
    console.error(`pack: ${path}: neither its kind nor its name is one of a page`);
    process.exit(1);
  }
  const plain = readFileSync(file);
  if (path.startsWith("report/") && /<\/script|<\/style|<!--/i.test(plain.toString())) {
    console.error(`pack: ${path}: it would end the element that it stands in inside a report`);
    process.exit(1);
  }
  const small = gzipSync(plain, { level: 9 });
  const etag = createHash("sha256").update(plain).digest("hex");
  lines.push(`${path} ${type} ${small.length} ${plain.length} ${etag}`);
  bytes.push(small, plain);
}
writeFileSync(pack, Buffer.concat([Buffer.from(`hone-page 1\n${lines.join("\n")}\n\n`), ...bytes]));
