import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { waitFor } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Outdated } from "./outdated";

const client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
const live = new Outdated(client);
const leave: (() => void)[] = [];
afterEach(() => {
  for (const stop of leave.splice(0)) stop();
  client.clear();
});

/** Something that is looked at, whose answers come when they are told to. */
function looked(key: string) {
  const answers: ((answer: string) => void)[] = [];
  const observer = new QueryObserver<string>(client, {
    queryKey: [key],
    queryFn: () => new Promise((resolve) => answers.push(resolve)),
  });
  leave.push(observer.subscribe(() => {}));
  return { answers, observer };
}

it("reads once more what was being read for the first time, however often it changed meanwhile", async () => {
  const { answers, observer } = looked("list");
  await waitFor(() => expect(answers).toHaveLength(1));
  live.add({ queryKey: ["list"] });
  live.add({ queryKey: ["list"] });
  expect(answers).toHaveLength(1);
  answers[0]?.("from before");
  await waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.("new");
  await waitFor(() => expect(observer.getCurrentResult().data).toBe("new"));
  expect(answers).toHaveLength(2);
});

it("reads what was read before at once", async () => {
  const { answers, observer } = looked("list");
  await waitFor(() => expect(answers).toHaveLength(1));
  answers[0]?.("from before");
  await waitFor(() => expect(observer.getCurrentResult().data).toBe("from before"));
  live.add({ queryKey: ["list"] });
  await waitFor(() => expect(answers).toHaveLength(2));
});

it("leaves alone what did not change", async () => {
  const { answers, observer } = looked("other");
  await waitFor(() => expect(answers).toHaveLength(1));
  live.add({ queryKey: ["list"] });
  answers[0]?.("one");
  await waitFor(() => expect(observer.getCurrentResult().data).toBe("one"));
  expect(answers).toHaveLength(1);
});

it("reads again what was read or being read before a moment, and nothing that came after it", async () => {
  const known = looked("known");
  const coming = looked("coming");
  await waitFor(() => expect(coming.answers).toHaveLength(1));
  known.answers[0]?.("one");
  await waitFor(() => expect(known.observer.getCurrentResult().data).toBe("one"));
  const readAgain = live.before();
  coming.answers[0]?.("one");
  const later = looked("later");
  await waitFor(() => expect(later.answers).toHaveLength(1));
  later.answers[0]?.("one");
  await waitFor(() => expect(later.observer.getCurrentResult().data).toBe("one"));
  readAgain();
  await waitFor(() => expect(known.answers).toHaveLength(2));
  expect(coming.answers).toHaveLength(2);
  expect(later.answers).toHaveLength(1);
});
