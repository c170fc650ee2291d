import { CopyButton } from "../ui";

/** A secret that is shown once. */
export function Once({ label, secret, note }: { label: string; secret: string; note: string }) {
  return (
    <div className="rounded-md bg-warn-bg p-3 text-warn-text">
      <p className="text-small font-medium">{label}</p>
      <p className="my-1 flex items-center gap-2">
        <code className="min-w-0 flex-1 rounded-sm bg-surface px-2 py-1.5 break-all text-text">{secret}</code>
        <CopyButton text={secret} label={`Copy: ${label}`} />
      </p>
      <p className="text-small">{note}</p>
    </div>
  );
}
