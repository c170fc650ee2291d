import { type Role, useWithdrawRole } from "../api/access";
import { ApiError } from "../api/error";
import { Button, Dialog, ErrorNote, toast } from "../ui";
import { Visible } from "../ui/Visible";
import { format } from "../words";

/** Asks before a role is withdrawn, and names whatever needs it. */
export function WithdrawRole({ role, onClose }: { role: Role; onClose: () => void }) {
  const withdraw = useWithdrawRole();
  const needed = withdraw.error && neededBy(withdraw.error);
  const name = format.title(role.name);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Withdraw the role ${name}`}
      description="From their next request on, it grants its holders nothing. Its versions are kept."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            loading={withdraw.isPending}
            onClick={() =>
              withdraw.mutate(
                { name: role.name, force: !!needed },
                {
                  onSuccess: () => {
                    toast({ title: `The role ${name} is withdrawn`, tone: "ok" });
                    onClose();
                  },
                },
              )
            }
          >
            {needed ? "Withdraw anyway" : "Withdraw"}
          </Button>
        </>
      }
    >
      {needed ? (
        <div role="alert">
          <p className="mb-1 font-medium">This role is still needed by:</p>
          <ul aria-label="Needed by" className="list-disc pl-5">
            {needed.map((one) => (
              <li key={one} className="break-words">
                <Visible text={one} />
              </li>
            ))}
          </ul>
          <p className="mt-2 text-small text-muted">
            If you withdraw it anyway, approvals that ask for it can be decided by administrators only.
          </p>
        </div>
      ) : (
        withdraw.error && <ErrorNote error={withdraw.error} />
      )}
    </Dialog>
  );
}

/** What a refusal names, if it is about that. */
export const neededBy = (error: Error): string[] | undefined =>
  error instanceof ApiError ? error.neededBy : undefined;
