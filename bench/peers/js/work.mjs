// The work of bench/peers/work for peers in JavaScript: the same spec, the same
// measurements, the same report.

export const spec = JSON.parse(process.env.PEER_SPEC);
export const page = 50;

const thinking = 20; // ms before a decision, as in bench/peers/work
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

let called; // when the step after a decision was called
let waiting; // for that step

// next is called by the step after the decision.
export function next() {
  called = performance.now();
  waiting?.();
}

function awaitNext() {
  if (called !== undefined) return Promise.resolve();
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error("the step after a decision was not called within 60 s")), 60_000);
    waiting = () => {
      clearTimeout(timer);
      done();
    };
  });
}

async function many(n, atOnce, f) {
  let begun = 0;
  const work = async () => {
    while (begun++ < n) await f();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

function percentiles(took) {
  took.sort((a, b) => a - b);
  return [took[Math.floor(took.length / 2)], took[Math.floor((took.length * 99) / 100)]];
}

const report = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// main does all the work with a peer: { about, three, wait, decide, list, close }.
// wait returns the id of a run that waits; decide lets it continue.
export async function main(open) {
  const peer = await open();
  report(peer.about);

  let began = performance.now();
  await many(spec.runs, spec.at_once, peer.three);
  report({ runs_per_s: (spec.runs * 1000) / (performance.now() - began) });

  // As in work.go: a system that takes a second for each decision is measured by fewer of them.
  const decisions = [];
  const until = performance.now() + 45_000;
  for (let i = 0; i < spec.decisions && (i < 20 || performance.now() < until); i++) {
    const id = await peer.wait();
    await sleep(thinking);
    called = waiting = undefined;
    began = performance.now();
    const decided = peer.decide(id);
    await Promise.all([decided, awaitNext()]);
    decisions.push(called - began);
  }
  const [p50, p99] = percentiles(decisions);
  report({ decisions: decisions.length, decision_p50_ms: p50, decision_p99_ms: p99 });

  await many(spec.pending, spec.at_once, peer.wait);
  await sleep(1000);
  const lists = [];
  for (let i = 0; i < spec.pages; i++) {
    began = performance.now();
    const n = await peer.list();
    if (n !== Math.min(page, spec.pending)) throw new Error(`${n} runs are listed, want ${page}`);
    lists.push(performance.now() - began);
  }
  const [list50, list99] = percentiles(lists);
  report({ pending: spec.pending, list_p50_ms: list50, list_p99_ms: list99 });
  await peer.close();
  process.exit(0);
}
