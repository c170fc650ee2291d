import type { QueryClient } from "@tanstack/react-query";
import { approvalQuery } from "../api/approvals";
import { deliverablePagesQuery } from "../api/deliverables";
import { runQuery } from "../api/runs";
import { decidesFiles, filesFilter } from "../decide/files";

export { ApprovalPage } from "./ApprovalPage";

/** Loads the run of an approval and its files: drawn later, they would draw most of the page again. */
export async function prepareApproval(client: QueryClient, id: string): Promise<void> {
  const approval = client.getQueryData(approvalQuery(id).queryKey);
  if (!approval) return;
  const { run } = approval;
  await Promise.all([
    client.prefetchQuery(runQuery(run)),
    decidesFiles(approval) && client.prefetchInfiniteQuery(deliverablePagesQuery(filesFilter(run))),
  ]);
}
