import { useApproval } from "../api/approvals";
import type { Approval } from "../api/types";
import { ApprovalDetail } from "../decide";
import { Button } from "../ui/Button";
import { ErrorNote } from "../ui/ErrorNote";
import { Kbd } from "../ui/Kbd";

interface Props {
  /** The row; more of it may be known by now. */
  row: Approval;
  edit: boolean;
  onNext: () => void;
}

/** The chosen approval beside the list, with all that a decision needs. Its keys are those of the list. */
export default function Preview({ row, edit, onNext }: Props) {
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
          shortcuts={edit}
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
