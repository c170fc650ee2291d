import { jobs, type Request } from "./jobs";

// Runs off the main thread: work that takes long with megabytes is done here.
self.onmessage = ({ data: { id, job, args } }: MessageEvent<Request>) => {
  try {
    const done = (jobs[job] as (...given: unknown[]) => unknown)(...args);
    self.postMessage({ id, done });
  } catch (error) {
    self.postMessage({ id, failed: String(error) });
  }
};
