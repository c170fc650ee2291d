import { LoaderCircle } from "lucide-react";
import { Children, type ComponentProps, cloneElement, isValidElement, type MouseEvent } from "react";
import { cn } from "../lib/cn";

const base =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-sm text-control font-medium whitespace-nowrap select-none transition-colors duration-[120ms] disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0";
const looks = {
  filled: "bg-accent text-on-accent hover:not-disabled:bg-accent-hover",
  outlined: "border border-border-strong bg-surface text-text hover:not-disabled:bg-hover",
  ghost: "text-muted hover:not-disabled:bg-hover hover:not-disabled:text-text",
  danger: "bg-danger text-on-danger hover:not-disabled:brightness-90",
  "danger-outlined": "border border-border-strong bg-surface text-bad-text hover:not-disabled:bg-bad-bg",
};
const sizes = {
  normal: "h-(--tap) px-3",
  small: "h-7 px-2 text-small pointer-coarse:h-(--tap)",
  icon: "size-(--tap)",
};

/** Also keeps Enter in a field from sending the form again. */
const ignore = (event: MouseEvent) => event.preventDefault();

export interface ButtonProps extends ComponentProps<"button"> {
  look?: keyof typeof looks;
  size?: keyof typeof sizes;
  /** Shows a spinner and ignores clicks. The button keeps the focus, which a disabled one would lose. */
  loading?: boolean;
  /** Applies the style to the only child, such as a link. */
  asChild?: boolean;
}

export function Button(props: ButtonProps) {
  const { look = "outlined", size = "normal", loading, asChild, className, children, type, ...rest } = props;
  const classes = cn(base, looks[look], sizes[size], loading && "opacity-55", className);
  if (asChild) {
    const child = Children.only(children);
    if (!isValidElement<{ className?: string }>(child)) return null;
    return cloneElement(child, { ...rest, ...child.props, className: cn(classes, child.props.className) });
  }
  return (
    <button
      type={type ?? "button"}
      className={classes}
      {...rest}
      {...(loading && { "aria-busy": true, "aria-disabled": true, onClick: ignore })}
    >
      {loading && <LoaderCircle aria-hidden className="motion-spin" />}
      {children}
    </button>
  );
}

/** An icon-only button; label is read out and shown on hover. */
export function IconButton({ label, ...rest }: Omit<ButtonProps, "size"> & { label: string }) {
  return <Button look="ghost" size="icon" aria-label={label} title={label} {...rest} />;
}
