import type { Jobs, Request } from "./jobs";

// Large values are parsed and laid out in a worker, so that the page stays responsive. Without workers it is done here.

let worker: Worker | undefined;
let last = 0;
const open = new Map<number, { resolve: (done: never) => void; reject: (error: Error) => void }>();

/** Runs a job off the main thread. */
export async function aside<Name extends keyof Jobs>(
  job: Name,
  ...args: Parameters<Jobs[Name]>
): Promise<ReturnType<Jobs[Name]>> {
  if (typeof Worker === "undefined") {
    const { jobs } = await import("./jobs");
    return (jobs[job] as (...given: unknown[]) => ReturnType<Jobs[Name]>)(...args);
  }
  worker ??= begin();
  const id = ++last;
  const request: Request = { id, job, args };
  return new Promise((resolve, reject) => {
    open.set(id, { resolve, reject });
    worker?.postMessage(request);
  });
}

function begin(): Worker {
  const made = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  made.onmessage = ({ data }: MessageEvent<{ id: number; done?: unknown; failed?: string }>) => {
    const waiting = open.get(data.id);
    open.delete(data.id);
    if (data.failed === undefined) waiting?.resolve(data.done as never);
    else waiting?.reject(new Error(data.failed));
  };
  made.onerror = () => {
    for (const { reject } of open.values()) reject(new Error("This value could not be read. Reload the page."));
    open.clear();
    worker = undefined;
  };
  return made;
}
