import { expect, it } from "vitest";
import { called, reasonText } from "./suggestion";

it.each([
  ["agent:page_finder", "Agent Page finder"],
  ["workflow:refund-approval", "Workflow Refund approval"],
  ["mcp:xml/parse_all", "Tool Parse all of Xml"],
  ["send_mail", "Tool Send mail"],
])("calls %s %s", (tool, name) => expect(called(tool)).toBe(name));

it.each([
  ["comes after agent:page_finder in earlier runs", "Comes after Agent Page finder in earlier runs"],
  ["returns page, which send_mail needs", "Returns page, which Tool Send mail needs"],
  ["comes after pay in your description", "Comes after Tool Pay in your description"],
  [
    "runs once for each item of page_finder.pages, passed as page",
    "Runs once for each item of page_finder.pages, passed as page",
  ],
  ["“send the pay slip”: agent:a fits.", "“send the pay slip”: Agent A fits."],
  ["returns prepay_id", "Returns prepay_id"],
])("%s", (reason, text) => expect(reasonText(reason)).toBe(text));
