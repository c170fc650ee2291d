import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./Button";

/** Copies a text. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      label={copied ? "Copied" : label}
      className="reach size-7"
      onClick={() => void copy(text).then(setCopied)}
    >
      {copied ? <Check className="text-ok-text" /> : <Copy />}
    </IconButton>
  );
}

/** The clipboard API is missing on plain http; then a hidden field is used. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
