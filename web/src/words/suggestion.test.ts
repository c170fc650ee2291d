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
  ["returns the page, which Send mail needs", "Returns the page, which Send mail needs"],
  ["comes after Pay in your description", "Comes after Pay in your description"],
  ["“send the pay slip”: agent:a fits.", "“send the pay slip”: Agent A fits."],
  ["returns prepay_id", "Returns prepay_id"],
])("%s", (reason, text) => expect(reasonText(reason)).toBe(text));
