import { Maximize2 } from "lucide-react";
import { useApproval } from "../api/approvals";
import type { Approval } from "../api/types";
import { ApprovalDetail } from "../decide";
import { Link } from "../router";
import { Button } from "../ui/Button";
import { ErrorNote } from "../ui/ErrorNote";
import { Kbd } from "../ui/Kbd";

interface Props {
  /** The row; more of it may be loaded by now. */
  row: Approval;
  edit: boolean;
  /** Whether the decision keys belong to the pane; else they belong to the list. */
  keys: boolean;
  onNext: () => void;
  /** Called with the version that is visible with everything under decision; undefined while anything is missing. */
  onLooked: (version: number | undefined) => void;
  /** Called when the user goes to the approval's own page. */
  onOpen: () => void;
}

/** The selected approval beside the list, with everything a decision needs. */
export default function Preview({ row, edit, keys, onNext, onLooked, onOpen }: Props) {
  const { data, error } = useApproval(row.id);
  const approval = data && data.version >= row.version ? data : row;
  return (
    <div className="flex h-full min-h-0 flex-col">
      {error && !data && (
        <div className="p-4">
          <ErrorNote error={error} />
        </div>
      )}
      <div className="min-h-0 flex-1">
        <ApprovalDetail
          approval={approval}
          compact
          edit={edit}
          shortcuts={keys}
          onReady={(ready) => onLooked(ready ? approval.version : undefined)}
          back={
            <Button asChild look="ghost" size="small" className="float-right -mt-1 -mr-2 ml-2">
              <Link
                to="/approvals/$id"
                params={{ id: row.id }}
                title="Open the approval on a page of its own"
                onClick={onOpen}
              >
                <Maximize2 aria-hidden /> Open <Kbd keys="enter" />
              </Link>
            </Button>
          }
          after={
            <Button look="filled" onClick={onNext}>
              Next <Kbd keys="j" />
            </Button>
          }
        />
      </div>
    </div>
  );
}
