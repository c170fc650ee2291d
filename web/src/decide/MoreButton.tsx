import { Ellipsis } from "lucide-react";
import { Button, type ButtonProps } from "../ui/Button";

export function MoreButton(props: ButtonProps) {
  return (
    <Button look="ghost" size="icon" aria-label="More ways to answer" title="More ways to answer" {...props}>
      <Ellipsis aria-hidden />
    </Button>
  );
}
