// Writes src/api/schema.d.ts and src/api/shapes.ts from docs/openapi.json.
//
//   node scripts/types.mjs          write them
//   node scripts/types.mjs --check  fail if they are not current
//
// A schema that allows any JSON value is a payload: what agents propose, tools
// get and people approve. Payloads are kept as their text (type Raw), so that
// they are shown, and go back, as they came. shapes.ts says where they stand.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const source = JSON.parse(readFileSync(here("../../docs/openapi.json"), "utf8"));

// Parameters ("in") also come through here; they have a schema of their own.
const shaping = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "properties"];
const isPayload = (schema) =>
  typeof schema === "object" && schema !== null && !("in" in schema) && shaping.every((key) => !(key in schema));

async function types() {
  const ast = await openapiTS(source, {
    transform(schema) {
      if (isPayload(schema)) return ts.factory.createTypeReferenceNode("Raw | null");
    },
  });
  return `// Made from docs/openapi.json by \`npm run types\`. Do not edit.\nimport type { Raw } from "../json/raw";\n\n${astToString(ast)}`;
}

// shapeOf returns where payloads are inside a schema: "!" is a payload, "Name" another schema, "[]x" a list of x, "{}x"
// a map of x; nothing if there can be none.
function shapeOf(schema, reaching) {
  if (isPayload(schema)) return "!";
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    return reaching.has(name) ? name : undefined;
  }
  for (const part of schema.anyOf ?? schema.oneOf ?? []) {
    const shape = shapeOf(part, reaching);
    if (shape) return shape;
  }
  if (schema.items) {
    const shape = shapeOf(schema.items, reaching);
    return shape && `[]${shape}`;
  }
  if (typeof schema.additionalProperties === "object") {
    const shape = shapeOf(schema.additionalProperties, reaching);
    return shape && `{}${shape}`;
  }
}

function shapes() {
  const schemas = source.components.schemas;
  const reaching = new Set();
  const members = (name) => {
    const out = {};
    for (const [key, schema] of Object.entries(schemas[name].properties ?? {})) {
      const shape = shapeOf(schema, reaching);
      if (shape) out[key] = shape;
    }
    return out;
  };
  for (let before = -1; before !== reaching.size; ) {
    before = reaching.size;
    for (const name of Object.keys(schemas)) {
      if (Object.keys(members(name)).length > 0) reaching.add(name);
    }
  }
  const byName = Object.fromEntries([...reaching].sort().map((name) => [name, members(name)]));
  const answers = {};
  for (const [path, item] of Object.entries(source.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        const name = response.content?.["application/json"]?.schema?.$ref?.split("/").pop();
        if (status.startsWith("2") && reaching.has(name)) answers[`${method.toUpperCase()} ${path}`] = name;
      }
    }
  }
  const write = (value) =>
    JSON.stringify(value, null, 2)
      .replace(/"([A-Za-z_]+)":/g, "$1:")
      .replace(/(["}])\n/g, "$1,\n");
  return [
    "// Made from docs/openapi.json by `npm run types`. Do not edit.",
    "// Where payloads stand in answers; see scripts/types.mjs.",
    `export const shapes: Record<string, Record<string, string>> = ${write(byName)};`,
    `export const answers: Record<string, string> = ${write(answers)};`,
    "",
  ].join("\n");
}

const outputs = { "../src/api/schema.d.ts": await types(), "../src/api/shapes.ts": shapes() };
for (const [path, text] of Object.entries(outputs)) {
  if (!process.argv.includes("--check")) {
    writeFileSync(here(path), text);
    continue;
  }
  let now = "";
  try {
    now = readFileSync(here(path), "utf8");
  } catch {
    // A missing file is not current.
  }
  if (now !== text) {
    console.error(`${path.slice(3)} is not what docs/openapi.json says. Run: npm run types`);
    process.exit(1);
  }
}
