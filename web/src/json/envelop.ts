import { answers, shapes } from "../api/shapes";
import { Scanner } from "./scan";

// envelop turns an API response into JSON in which each payload is {"$json": its text}, so that any JSON reader keeps
// every digit.

/** The response shape of an operation, such as "GET /api/v1/runs/{id}"; undefined if it has no payloads. */
export function shapeOfAnswer(method: string, path: string): string | undefined {
  return answers[`${method.toUpperCase()} ${path}`];
}

export function envelop(text: string, shape: string): string {
  const scanner = new Scanner(text);
  const out: string[] = [];
  value(scanner, shape, out);
  return out.join("");
}

function value(s: Scanner, shape: string | undefined, out: string[]): void {
  const first = s.peek();
  if (shape === undefined || first === "n") {
    out.push(s.skip());
  } else if (shape === "!") {
    out.push('{"$json":', JSON.stringify(s.skip()), "}");
  } else if (first === "[" && shape.startsWith("[]")) {
    out.push("[");
    s.array((index) => {
      if (index > 0) out.push(",");
      value(s, shape.slice(2), out);
    });
    out.push("]");
  } else if (first === "{") {
    const each = shape.startsWith("{}") ? shape.slice(2) : undefined;
    let open = "{";
    s.object((key) => {
      out.push(open, key, ":");
      open = ",";
      value(s, each ?? shapes[shape]?.[JSON.parse(key)], out);
    });
    out.push(open === "{" ? "{}" : "}");
  } else {
    out.push(s.skip()); // does not match the contract: kept as is
  }
}
