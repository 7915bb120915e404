#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// types: writes src/api/schema.ts, the server's schemas as types. It is made anew by each check of
// the page and kept out of the repository, so it is never older than what the server says.
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const kSource = here("../../hone/server/page/schemas.json");
const kTarget = here("../src/api/schema.ts");
const kHead = `// SPDX-License-Identifier: Apache-2.0
// Made by scripts/types.mjs from the server's schemas.json. Change that.
`;

// The words of a schema: those that make a type, and those that a type cannot say.
const kKnown = new Set([
  ...[
    "$ref",
    "type",
    "enum",
    "nullable",
    "properties",
    "required",
    "additionalProperties",
    "items",
  ],
  ...["description", "default", "example", "format"],
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"],
]);

const kPlain = { string: "string", number: "number", integer: "number", boolean: "boolean" };

function objectText(schema, where, indent) {
  const { properties, additionalProperties, required = [] } = schema;
  if (!properties) {
    if (!additionalProperties) return "object"; // Of which nothing more is told.
    return `Record<string, ${typeText(additionalProperties, where, indent)}>`;
  }
  if (additionalProperties) throw new Error(`${where}: it has properties and others; which wins?`);
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? "" : "?";
    const type = typeText(field, `${where}.${name}`, `${indent}  `);
    return `${commentText(field, indent)}${indent}  ${keyText(name)}${mark}: ${type};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}

const keyText = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

function commentText({ description }, indent) {
  return description ? `${indent}  /** ${description.replaceAll("*/", "* /")} */\n` : "";
}

function bareText(schema, where, indent) {
  if (schema.$ref) return `Schemas[${JSON.stringify(schema.$ref.split("/").pop())}]`;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "object") return objectText(schema, where, indent);
  if (schema.type === "array") return `Array<${typeText(schema.items ?? {}, where, indent)}>`;
  if (schema.type === undefined) return "unknown";
  const plain = kPlain[schema.type];
  if (!plain) throw new Error(`${where}: no type is known for "${schema.type}"`);
  return plain;
}

// Of words that it does not know, it makes no type that is merely likely.
function typeText(schema, where, indent) {
  const odd = Object.keys(schema).find((word) => !kKnown.has(word));
  if (odd) throw new Error(`${where}: "${odd}" is not known; teach scripts/types.mjs about it`);
  return bareText(schema, where, indent) + (schema.nullable ? " | null" : "");
}

export function typesOf(schemas) {
  const fields = Object.entries(schemas).map(
    ([name, schema]) =>
      `${commentText(schema, "")}  ${keyText(name)}: ${typeText(schema, name, "  ")};\n`,
  );
  return `${kHead}\nexport interface Schemas {\n${fields.join("")}}\n`;
}

// An unchanged file is left alone, so that nothing is built anew because of it.
function main() {
  if (!existsSync(kSource)) throw new Error(`no schemas.json; looked for ${kSource}`);
  const text = typesOf(JSON.parse(readFileSync(kSource, "utf8")));
  if (existsSync(kTarget) && readFileSync(kTarget, "utf8") === text) return;
  writeFileSync(kTarget, text);
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main();
