import { describe, expect } from "vitest";
import { leadsTo, patiently, says, see, stage, story } from "./harness";

describe("nothing else is approved than what is shown", () => {
  const at = stage();
  const ann = at.person("ann", "approver");
  const bob = at.person("bob", "approver");
  const customer = "Pay invoice \u202egnp.0001 RUE\u202c to Bob\u200b";
  const shown = "Pay invoice U+202Egnp.0001 RUEU+202C to BobU+200B";

  story("what cannot be seen is marked, to read, as JSON and to change", async () => {
    const asked = await ann.asked("refund", { customer, amount: 20, reason: "שלום, 100" });
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await see(page.getByRole("note").getByText("It contains invisible characters."));
    await says(page.locator("#proposal"), shown);
    const unmarked = () => page.evaluate(() => /[\u200b\u202a-\u202e]/.test(document.body.innerText));
    expect(await unmarked()).toBe(false);
    // Drawn in the order in which it is written: the code stands before what it would have turned around.
    const order = await page.locator("#proposal [data-unseen]").evaluateAll((marks) => {
      const range = document.createRange();
      range.selectNodeContents(marks[0]?.nextSibling ?? document.body);
      return marks.map((m) => m.getBoundingClientRect().left).concat(range.getBoundingClientRect().left);
    });
    expect(order).toHaveLength(4);
    const [turn = 0, back = 0, , between = 0] = order;
    expect([turn < between, between < back]).toEqual([true, true]);
    await at.look(page);
    await page.getByRole("radio", { name: "JSON" }).click();
    await says(page.locator("#proposal pre"), `"${shown}"`);
    expect(await unmarked()).toBe(false);
    await page.keyboard.press("e");
    await says(page.locator("#proposal .cm-content"), "U+202Egnp.0001 RUEU+202C");
    await at.look(page);
    await page.getByRole("radio", { name: "Form" }).click();
    await see(page.locator("#proposal").getByText("U+200B (zero-width space)"));
    await at.look(page);
    await page.getByRole("textbox", { name: /^Customer/ }).fill("Bob");
    await page.getByRole("button", { name: "Approve with 1 change" }).click();
    expect((await ann.settled(asked.id)).proposed.customer).toBe("Bob");
  });

  story("a double click decides once, and what takes the place of the button waits", async () => {
    const first = await ann.asked("refund", { customer: "Iben", amount: 11 });
    await ann.asked("refund", { customer: "Olav", amount: 12 });
    const page = await at.open(`/approvals/${first.id}`, { as: bob });
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/decisions")) sent.push(request.url());
    });
    // Seen in the moment when the ways on come, however slow the machine is.
    await page.evaluate(() => {
      new MutationObserver((_, self) => {
        const next = [...document.querySelectorAll("a")].find((a) => a.textContent?.includes("Next in inbox"));
        if (!next) return;
        document.body.dataset.atFirst = getComputedStyle(next).pointerEvents;
        self.disconnect();
      }).observe(document.body, { childList: true, subtree: true });
    });
    await page.getByRole("button", { name: "Approve" }).dblclick();
    await says(page.getByRole("region", { name: "How it ended" }), "You approved this");
    await see(page.getByRole("link", { name: /Next in inbox/ }));
    expect(await page.evaluate(() => document.body.dataset.atFirst)).toBe("none");
    expect(new URL(page.url()).pathname).toBe(`/approvals/${first.id}`);
    expect(sent).toHaveLength(1);
    await page.getByRole("link", { name: /Next in inbox/ }).click();
    await leadsTo(page, new RegExp(`^/approvals/(?!${first.id})`));
    await see(page.getByText("Olav").first());
    expect(sent).toHaveLength(1);
  });

  story("a question about nothing says so", async () => {
    const asked = await ann.asked("wipe");
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await see(page.getByText("The step gets no input."));
    expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    await page.keyboard.press("e");
    await see(page.getByRole("button", { name: "Approve" }));
    expect(await page.getByRole("button", { name: "Discard" }).count()).toBe(0);
  });

  story("long words of options stay on a phone", async () => {
    const word = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengese"; // longer than the screen
    const made = {
      workflow: "long-words",
      steps: [{ id: "go", agent: "keeper" }],
      gates: [
        {
          id: "way",
          at: "before go",
          kind: "choice",
          title: "Which?",
          options: [
            { value: "a", label: word, description: word },
            { value: "b", label: "Short" },
          ],
        },
      ],
    };
    await at.admin.send("PUT", "/workflows/long-words?publish=true", made);
    const asked = await ann.asked("long-words");
    const page = await at.open(`/approvals/${asked.id}`, { as: bob, view: "phone" });
    for (const radio of await page.getByRole("radio").all()) {
      const box = await radio.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
    }
    const cut = await page
      .getByText(word)
      .first()
      .evaluate((e) => e.scrollWidth > e.clientWidth + 1);
    expect(cut).toBe(false);
    await at.look(page);
  });

  story("on a phone the notice says to whom it went, and leaves the answers free", async () => {
    const asked = await ann.asked("refund", { customer: "Iben", amount: 13 });
    const page = await at.open(`/approvals/${asked.id}`, { as: bob, view: "phone" });
    await patiently(page, async () => {
      await page.getByRole("button", { name: "More ways to answer" }).tap();
      await page.getByRole("menuitem", { name: "Hand over" }).tap();
      await page.getByRole("combobox", { name: "Name" }).fill("carla");
      await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).tap();
      const notice = page.getByRole("region", { name: /^Notifications/ }).getByText("Handed to carla");
      await see(notice);
      await see(page.getByText("You handed this over to carla."));
      // What the bar offers now can be tapped at once, with the notice there.
      const bar = page.getByRole("link", { name: "See the run" });
      const [note, way] = await Promise.all([notice.boundingBox(), bar.boundingBox()]);
      expect(note && way && note.y + note.height < way.y - 100).toBe(true);
      await at.look(page);
      await bar.tap();
    });
    await leadsTo(page, /^\/runs\/run_/);
  });
});
