import { Eye, EyeOff } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { ApiError } from "../api/error";
import { useSignIn } from "../api/signin";
import { Button, IconButton } from "../ui/Button";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { format } from "../words";
import { signInProblem } from "./words";

/** A name and a password. After too many attempts it counts down to the next one allowed. */
export function PasswordForm({ to, go = leave }: { to: string; go?: (to: string) => void }) {
  const signIn = useSignIn();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [shown, setShown] = useState(false);
  const [caps, setCaps] = useState(false);
  const [missing, setMissing] = useState<"name" | "password">();
  const secret = useRef<HTMLInputElement>(null);
  const first = useRef<HTMLInputElement>(null);
  const wait = useWait(signIn.error);
  useEffect(() => first.current?.focus(), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const lacks = name.trim() === "" ? "name" : password === "" ? "password" : undefined;
    setMissing(lacks);
    if (lacks) (lacks === "name" ? first : secret).current?.focus();
    if (lacks || signIn.isPending || wait > 0) return;
    signIn.mutate(
      { name: name.trim(), password },
      {
        // A full page load: no data loaded for another user remains.
        onSuccess: () => go(to),
        onError: () => secret.current?.select(),
      },
    );
  };
  const watchCaps = (event: KeyboardEvent) => setCaps(event.getModifierState("CapsLock"));

  return (
    <form onSubmit={submit} noValidate aria-label="Sign in">
      <Field label="Name" error={missing === "name" ? "Enter your name." : undefined}>
        <Input
          ref={first}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          value={name}
          onChange={(e) => setName(e.target.value)}
        />
      </Field>
      <div className="relative">
        <Field
          label="Password"
          error={missing === "password" ? "The password is missing." : undefined}
          hint={caps ? <span className="text-warn-text">Caps lock is on.</span> : undefined}
        >
          <Input
            ref={secret}
            name="password"
            type={shown ? "text" : "password"}
            autoComplete="current-password"
            className="pr-10 pointer-coarse:pr-12"
            value={password}
            onChange={(e) => setPassword(e.target.value)}
            onKeyDown={watchCaps}
            onKeyUp={watchCaps}
            onBlur={() => setCaps(false)}
          />
        </Field>
        <IconButton
          label={shown ? "Hide the password" : "Show the password"}
          aria-pressed={shown}
          className="absolute top-5 right-0"
          onClick={() => setShown(!shown)}
        >
          {shown ? <EyeOff /> : <Eye />}
        </IconButton>
      </div>
      {signIn.error && (
        <p role="alert" className="mb-3 rounded-sm bg-bad-bg p-2.5 text-bad-text">
          {throttled(signIn.error) && wait === 0 ? "You can try again now." : signInProblem(signIn.error)}
        </p>
      )}
      <Button
        type="submit"
        look="filled"
        className="h-11 w-full"
        loading={signIn.isPending || signIn.isSuccess}
        disabled={wait > 0}
      >
        {wait > 0 ? `Try again in ${format.duration(wait * 1000)}` : "Sign in"}
      </Button>
    </form>
  );
}

function leave(to: string): void {
  location.replace(to);
}

function throttled(error: Error | null): error is ApiError {
  return error instanceof ApiError && error.status === 429;
}

/** Seconds until the next attempt is allowed. */
function useWait(error: Error | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const seconds = throttled(error) ? (error.retryAfterS ?? 30) : 0;
    setLeft(seconds);
    if (seconds === 0) return;
    const until = Date.now() + seconds * 1000;
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((until - Date.now()) / 1000));
      setLeft(rest);
      if (rest === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
