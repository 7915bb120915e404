#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// circles [FOLDER]: no file of FOLDER (src) imports itself by way of others; imports of types count.
// Each import that closes a circle is a line with the way round. Exit 1 if there is one.
import { existsSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const kResolution = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sourcesIn(path);
      return /\.tsx?$/.test(entry.name) ? [path] : [];
    })
    .sort();
}

// The files that this one names: import, import type, export from, import().
function importsOf(file) {
  return ts
    .preProcessFile(readFileSync(file, "utf8"))
    .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => ts.resolveModuleName(fileName, file, kResolution, ts.sys))
    .flatMap(({ resolvedModule }) => (resolvedModule ? [resolvedModule.resolvedFileName] : []));
}

// Each circle as the files along it, the first one again at the end.
export function circlesIn(folder) {
  const circles = [];
  const is_done = new Map(); // False while a file is on the way from where we began.
  const way = [];
  const visit = (file) => {
    if (is_done.get(file)) return;
    if (is_done.has(file)) return void circles.push([...way.slice(way.indexOf(file)), file]);
    is_done.set(file, false);
    way.push(file);
    for (const next of importsOf(file)) visit(next);
    way.pop();
    is_done.set(file, true);
  };
  for (const file of sourcesIn(folder)) visit(file);
  return circles;
}

function main() {
  const given = process.argv[2] ?? fileURLToPath(new URL("../src", import.meta.url));
  if (!existsSync(given)) throw new Error(`${given}: there is no such folder`);
  const folder = realpathSync(given);
  const circles = circlesIn(folder);
  for (const circle of circles) {
    const way = circle.map((file) => relative(folder, file)).join(" -> ");
    console.error(`${way}: a circle of imports; move what both need into a file of its own`);
  }
  process.exitCode = circles.length > 0 ? 1 : 0;
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main();
