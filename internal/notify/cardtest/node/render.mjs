// Reads questions as lines of JSON, and answers each with a line. A card of Teams is checked by the types that Microsoft
// publishes for Teams and by the parser of Adaptive Cards, then rendered in a browser. Other pages are only rendered.
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import ts from "typescript";

const paths = [process.env.CHROMIUM, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium",
  "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/opt/homebrew/bin/chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];
const path = paths.find((p) => p && existsSync(p));
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
if (!path) {
  say({ missing: "Chromium is needed to render cards: set CHROMIUM to its path" });
  process.exit();
}
const browser = await chromium.launch({ executablePath: path,
  args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--font-render-hinting=none"] });
say({});

// types checks a card as if it were written in TypeScript: unknown members and values are errors.
const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
const host = ts.createCompilerHost(options);
const { getSourceFile, fileExists, readFile } = host;
const parsed = new Map();
let card = "";
host.getSourceFile = (name, ...rest) => {
  if (name.endsWith("card.mts")) return ts.createSourceFile(name, card, ts.ScriptTarget.ES2022);
  if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest));
  return parsed.get(name);
};
host.fileExists = (name) => name.endsWith("card.mts") || fileExists(name);
host.readFile = (name) => (name.endsWith("card.mts") ? card : readFile(name));
let program;
function types(value) {
  card = `import type { IAdaptiveCard } from "@microsoft/teams.cards";\n`
    + `export const card: IAdaptiveCard = ${JSON.stringify(value)};\n`;
  program = ts.createProgram(["card.mts"], options, host, program);
  return ts.getPreEmitDiagnostics(program).map((d) => ts.flattenDiagnosticMessageText(d.messageText, " "));
}

const library = readFileSync("node_modules/adaptivecards/dist/adaptivecards.min.js", "utf8");
const styles = readFileSync("node_modules/adaptivecards/dist/adaptivecards.css", "utf8");
const themes = {
  light: { back: "#ffffff", room: "#f5f5f5", text: "#242424", subtle: "#616161", line: "#d1d1d1", button: "#ffffff",
    accent: "#4f52b2", good: "#237b4b", attention: "#c4314b" },
  dark: { back: "#292929", room: "#1f1f1f", text: "#ffffff", subtle: "#adadad", line: "#525252", button: "#292929",
    accent: "#7f85f5", good: "#92c353", attention: "#e37d80" },
};

function page(theme) {
  const c = themes[theme];
  return `<!doctype html><meta charset="utf-8"><style>${styles}
    body { margin: 0; padding: 16px; background: ${c.room}; font: 14px "Segoe UI", "Helvetica Neue", Arial, sans-serif }
    #card { background: ${c.back}; border: 1px solid ${c.line}; border-radius: 6px; max-width: 640px }
    .ac-pushButton { background: ${c.button}; color: ${c.text}; border: 1px solid ${c.line}; border-radius: 4px;
      font: 600 14px "Segoe UI", "Helvetica Neue", Arial, sans-serif; padding: 5px 12px; margin-bottom: 4px }
    .ac-pushButton.style-positive { background: ${c.accent}; color: ${theme === "dark" ? "#000" : "#fff"}; border-color: ${c.accent} }
    .ac-pushButton.style-destructive { background: ${c.button}; color: ${c.attention} }
    .ac-pushButton::after { display: none }
    .ac-input { font: inherit; color: ${c.text}; background: ${c.room}; border: 1px solid ${c.line}; border-radius: 4px;
      padding: 6px; width: 100%; box-sizing: border-box }
  </style><div id="card"></div>`;
}

// draw runs in the browser.
function draw({ value, c }) {
  /* global AdaptiveCards, document */
  const A = AdaptiveCards;
  const color = (v) => ({ default: v, subtle: v });
  const colors = { default: { default: c.text, subtle: c.subtle }, accent: color(c.accent), good: color(c.good),
    attention: color(c.attention) };
  const style = { backgroundColor: c.back, foregroundColors: colors };
  const card = new A.AdaptiveCard();
  card.hostConfig = new A.HostConfig({ fontFamily: '"Segoe UI", "Helvetica Neue", Arial, sans-serif',
    spacing: { small: 4, default: 8, medium: 14, large: 20, extraLarge: 28, padding: 14 },
    separator: { lineThickness: 1, lineColor: c.line },
    fontSizes: { small: 12, default: 14, medium: 16, large: 20, extraLarge: 24 },
    fontTypes: { default: {}, monospace: { fontFamily: "Consolas, 'DejaVu Sans Mono', monospace",
      fontSizes: { small: 12, default: 13, medium: 14, large: 18, extraLarge: 22 } } },
    containerStyles: { default: style, emphasis: style },
    actions: { maxActions: 6, buttonSpacing: 8, actionsOrientation: "horizontal", actionAlignment: "left",
      showCard: { actionMode: "inline", inlineTopMargin: 8 } } });
  const context = new A.SerializationContext(A.Versions.v1_5);
  card.parse(value, context);
  const warnings = [];
  for (let i = 0; i < context.eventCount; i++) warnings.push(context.getEventAt(i).message);
  for (const e of card.validateProperties().validationEvents) warnings.push(e.message);
  const element = card.render();
  if (!element) return [...warnings, "nothing was rendered"];
  document.getElementById("card").append(element);
  return warnings;
}

async function answer(q) {
  const width = q.width ?? 700;
  const tab = await browser.newPage({ viewport: { width, height: 200 }, deviceScaleFactor: q.scale ?? 1.5 });
  const warnings = [];
  tab.on("console", (m) => warnings.push(`console: ${m.text()}`));
  tab.on("pageerror", (e) => warnings.push(`error: ${e.message}`));
  await tab.route("**/*", (route) => {
    warnings.push(`request: ${route.request().url()}`);
    return route.abort();
  });
  try {
    const theme = q.theme ?? "light";
    await tab.setContent(q.html ?? page(theme));
    if (q.card) {
      await tab.addScriptTag({ content: library });
      warnings.push(...(await tab.evaluate(draw, { value: q.card, c: themes[theme] })));
    }
    if (q.press) await tab.getByRole("button", { name: q.press, exact: true }).click();
    const over = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (over > 0) warnings.push(`it is ${over} pixels too wide`);
    const text = (await tab.evaluate(() => document.body.innerText)).replaceAll("\u200b", ""); // where words may break
    const buttons = await tab.evaluate(() => [...document.querySelectorAll("button, a.button")]
      .filter((b) => b.checkVisibility()).map((b) => b.innerText.trim()));
    if (q.picture) await tab.screenshot({ path: q.picture, fullPage: true });
    return { problems: q.card && !q.drawn ? types(q.card) : [], warnings, text, buttons };
  } finally {
    await tab.close();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    say(await answer(JSON.parse(line)));
  } catch (e) {
    say({ problems: [String(e)] });
  }
}
await browser.close();
