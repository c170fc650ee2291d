// Takes pictures of pages of a running server, for looking at them.
//
//   ASSENT_ADDR=127.0.0.1:8080 node scripts/shots.mjs OUTDIR [/path…]
//
// Fails on a console error, a request to another host, or sideways scrolling.
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

const [out = "shots", ...paths] = process.argv.slice(2);
const base = `http://${process.env.ASSENT_ADDR ?? "127.0.0.1:8080"}`;
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const views = {
  desktop: { viewport: { width: 1440, height: 900 } },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, deviceScaleFactor: 2 },
  "phone-dark": { viewport: { width: 390, height: 844 }, hasTouch: true, deviceScaleFactor: 2, colorScheme: "dark" },
};
let troubles = 0;
const trouble = (text) => {
  troubles++;
  console.error(text);
};
for (const [view, options] of Object.entries(views)) {
  const page = await (await browser.newContext(options)).newPage();
  page.on("console", (m) => m.type() === "error" && trouble(`${view}: ${m.text()}`));
  page.on("pageerror", (e) => trouble(`${view}: ${e.message}`));
  page.on("request", (r) => {
    if (!r.url().startsWith(base) && !/^(data|blob):/.test(r.url())) trouble(`${view}: request to ${r.url()}`);
  });
  for (const path of paths.length > 0 ? paths : ["/inbox", "/runs", "/history", "/deliverables", "/insights"]) {
    await page.goto(base + path);
    await page.waitForSelector("h1");
    await page.waitForTimeout(700);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > options.viewport.width) trouble(`${view} ${path}: scrolls sideways (${wide} px)`);
    await page.screenshot({ path: `${out}/${view}${path.replaceAll("/", "-")}.png` });
  }
}
await browser.close();
process.exit(troubles > 0 ? 1 : 0);
