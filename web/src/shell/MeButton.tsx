import { Avatar } from "../ui/Avatar";
import { Button, type ButtonProps } from "../ui/Button";
import { VisuallyHidden } from "../ui/VisuallyHidden";

export function MeButton({ name = "…", ...rest }: ButtonProps & { name: string | undefined }) {
  return (
    <Button look="ghost" size="icon" {...rest}>
      <Avatar name={name} decorative />
      <VisuallyHidden>You are {name}. Theme and more</VisuallyHidden>
    </Button>
  );
}
