// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { typesOf } from "./types.mjs";

// The type of one schema, without the lines around it.
function typeOf(schema) {
  return /export interface Schemas \{\n {2}One: ([^]*);\n\}\n$/.exec(typesOf({ One: schema }))?.[1];
}

describe("typesOf", () => {
  it("knows plain types, choices and what may be null", () => {
    expect(typeOf({ type: "integer", minimum: 1 })).toBe("number");
    expect(typeOf({ type: "string", nullable: true })).toBe("string | null");
    expect(typeOf({ type: "string", enum: ["a", "b"], nullable: true })).toBe('"a" | "b" | null');
    expect(typeOf({})).toBe("unknown");
  });

  it("knows lists, tables and other schemas", () => {
    const other = { $ref: "#/components/schemas/Other" };
    expect(typeOf({ type: "array", items: other })).toBe('Array<Schemas["Other"]>');
    expect(typeOf({ type: "object", additionalProperties: other })).toBe(
      'Record<string, Schemas["Other"]>',
    );
    expect(typeOf({ type: "object" })).toBe("object");
  });

  it("tells fields that are always there from those that may be", () => {
    const schema = {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string", description: "Its name." }, "a-b": { type: "boolean" } },
    };
    expect(typeOf(schema)).toBe(
      '{\n    /** Its name. */\n    id: string;\n    "a-b"?: boolean;\n  }',
    );
  });

  it("refuses what it does not know, and says where", () => {
    const schema = { type: "object", properties: { id: { oneOf: [] } } };
    expect(() => typeOf(schema)).toThrow('One.id: "oneOf" is not known');
    expect(() => typeOf({ type: "text" })).toThrow('One: no type is known for "text"');
  });
});
