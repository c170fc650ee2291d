import type { RiskLevel } from "../api/types";
import { risk } from "../words";
import { Badge } from "./Badge";

/** Risk, always as word and colour; the reason on hover. Empty if there is none. */
export function RiskBadge({
  level,
  reasons,
  className,
}: {
  level?: RiskLevel;
  reasons?: string[];
  className?: string;
}) {
  if (!level) return null;
  const word = risk[level];
  return (
    <Badge
      tone={word.tone}
      icon={word.icon}
      title={reasons?.length ? reasons.join("; ") : word.sentence}
      className={className}
    >
      {word.label}
    </Badge>
  );
}
