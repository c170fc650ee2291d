import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { problem, serve, visit } from "../../test/page";
import { ApiError } from "../api/error";
import { noticeSignedOut } from "../api/signedOut";
import { SignOutItems } from "../shell/SignOutItems";
import { Menu } from "../ui/Menu";
import { PasswordForm } from "./PasswordForm";
import { safePath } from "./path";
import { SignInPage } from "./SignInPage";
import { arrivalProblem, signInProblem } from "./words";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const ways = (part: object) => ({ needed: true, password: false, oidc: null, ...part });
const nobody = () => problem(401, "unauthenticated");
const at = (address: string) => visit(SignInPage, "/sign-in", address);

describe("the way back", () => {
  it.each([
    ["/runs/run_1?tab=x#y", "/runs/run_1?tab=x#y"],
    ["/inbox", "/inbox"],
    [undefined, "/"],
    ["", "/"],
    ["https://evil.example/", "/"],
    ["//evil.example", "/"],
    ["/\\evil.example", "/"],
    ["\\\\evil.example", "/"],
    ["/\t/evil.example", "/"],
    ["/\n/evil.example", "/"],
    ["javascript:alert(1)", "/"],
    ["/..//evil.example", "/"],
    ["/a//b", "/"],
    ["/api/v1/sign-out", "/"],
    ["/x/../api/v1/me", "/"],
    ["/sign-in?return=/inbox", "/"],
    [`/${"a".repeat(3000)}`, "/"],
  ])("%s leads to %s", (given, want) => expect(safePath(given)).toBe(want));
});

describe("the sign-in page", () => {
  it("asks for a name and a password, for password managers, too", async () => {
    serve({ "GET /api/v1/sign-in": () => ways({ password: true }), "GET /api/v1/me": nobody });
    at("/sign-in?return=/history");
    const name = await screen.findByLabelText("Name");
    expect(name.getAttribute("autocomplete")).toBe("username");
    expect(screen.getByLabelText("Password").getAttribute("autocomplete")).toBe("current-password");
    expect(screen.queryByText(/Continue with/)).toBeNull();
    expect(document.title).toBe("Sign in · Assent");
  });

  it("leads to the identity provider, and back to where somebody was", async () => {
    serve({
      "GET /api/v1/sign-in": () => ways({ oidc: { label: "Example ID", url: "/api/v1/sign-in/oidc" } }),
      "GET /api/v1/me": nobody,
    });
    at("/sign-in?return=%2Fruns%2Frun_1%3Fa%3Db");
    const link = await screen.findByRole("link", { name: "Continue with Example ID" });
    expect(link.getAttribute("href")).toBe("/api/v1/sign-in/oidc?return=%2Fruns%2Frun_1%3Fa%3Db");
    expect(screen.queryByLabelText("Password")).toBeNull();
  });

  it("offers both, or says that there is none", async () => {
    serve({
      "GET /api/v1/sign-in": () => ways({ password: true, oidc: { label: "Example ID", url: "/api/v1/sign-in/oidc" } }),
      "GET /api/v1/me": nobody,
    });
    const both = at("/sign-in?return=https://evil.example");
    const link = await screen.findByRole("link", { name: "Continue with Example ID" });
    expect(link.getAttribute("href")).toBe("/api/v1/sign-in/oidc?return=%2F");
    expect(screen.getByLabelText("Password")).toBeTruthy();
    both.unmount();
    serve({ "GET /api/v1/sign-in": () => ways({}), "GET /api/v1/me": nobody });
    at("/sign-in");
    expect(await screen.findByText(/Sign-in is not set up/)).toBeTruthy();
  });

  it("leaves no trace in local mode", async () => {
    serve({ "GET /api/v1/sign-in": () => ways({ needed: false }) });
    const { address } = at("/sign-in?return=/history");
    await waitFor(() => expect(address()).toBe("/history"));
    expect(screen.queryByLabelText("Password")).toBeNull();
  });

  it("goes on by itself when somebody signed in in another tab", async () => {
    let known = false;
    serve({
      "GET /api/v1/sign-in": () => ways({ password: true }),
      "GET /api/v1/me": () => (known ? { name: "ann", kind: "person", roles: [], local: false } : nobody()),
    });
    const { address, client } = at("/sign-in?return=/history");
    await screen.findByLabelText("Password");
    await waitFor(() => expect(client.getQueryState(["sign-in", "known"])).toMatchObject({ status: "error" }));
    known = true;
    act(() => void window.dispatchEvent(new Event("visibilitychange")));
    await waitFor(() => expect(address()).toBe("/history"));
  });

  it("says why the identity provider did not let somebody in", async () => {
    serve({ "GET /api/v1/sign-in": () => ways({ password: true }), "GET /api/v1/me": nobody });
    at("/sign-in?problem=forbidden");
    expect(await screen.findByText(/don't have access to this server/)).toBeTruthy();
    for (const code of ["unauthenticated", "forbidden", "unavailable", "unsupported", "invalid", "made_up"])
      expect(arrivalProblem(code)).not.toContain(code);
  });

  it("says that the server does not answer", async () => {
    serve({ "GET /api/v1/sign-in": () => problem(503, "unavailable", { title: "Temporarily unavailable" }) });
    at("/sign-in");
    expect(await screen.findByText("Temporarily unavailable")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
  });
});

const within = (element: ReactElement) =>
  render(<QueryClientProvider client={new QueryClient()}>{element}</QueryClientProvider>);

function type(name: string, password: string) {
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: name } });
  fireEvent.change(screen.getByLabelText("Password"), { target: { value: password } });
  fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
}

describe("name and password", () => {
  it("signs in and goes where somebody was", async () => {
    const sent = serve({ "POST /api/v1/sign-in": () => ({ name: "ann" }) });
    const go = vi.fn();
    within(<PasswordForm to="/history" go={go} />);
    type(" ann ", "pass word");
    await waitFor(() => expect(go).toHaveBeenCalledWith("/history"));
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ name: "ann", password: "pass word" });
  });

  it("asks for what is missing without sending anything", () => {
    const sent = serve({});
    within(<PasswordForm to="/" />);
    fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
    expect(screen.getByText("Enter your name.")).toBeTruthy();
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "ann" } });
    fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
    expect(screen.getByText("The password is missing.")).toBeTruthy();
    expect(sent).toHaveLength(0);
  });

  it("does not tell whether the name or the password is wrong", async () => {
    serve({ "POST /api/v1/sign-in": nobody });
    within(<PasswordForm to="/" />);
    type("ann", "wrong");
    expect((await screen.findByRole("alert")).textContent).toBe("The name or the password is wrong.");
  });

  it("counts down after too many attempts, and rests until then", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }); // the seconds alone stand still
    const sent = serve({
      "POST /api/v1/sign-in": () => problem(429, "rate_limited", {}, { "Retry-After": "3" }),
    });
    within(<PasswordForm to="/" />);
    type("ann", "wrong");
    const button = await screen.findByRole("button", { name: /Try again in 3/ });
    expect(button.hasAttribute("disabled")).toBe(true);
    fireEvent.submit(screen.getByRole("form"));
    expect(sent).toHaveLength(1);
    await act(() => vi.advanceTimersByTimeAsync(2750));
    expect(button.textContent).toMatch(/Try again in 1/);
    await act(() => vi.advanceTimersByTimeAsync(250));
    expect(screen.getByText("You can try again now.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Sign in" }).hasAttribute("disabled")).toBe(false);
    expect(sent).toHaveLength(1);
  });

  it("tells that caps lock is on", () => {
    within(<PasswordForm to="/" />);
    const field = screen.getByLabelText("Password");
    const press = (on: boolean) => {
      const event = new KeyboardEvent("keydown", { key: "A", bubbles: true });
      Object.defineProperty(event, "getModifierState", { value: (key: string) => on && key === "CapsLock" });
      fireEvent(field, event);
    };
    press(true);
    expect(screen.getByText("Caps lock is on.")).toBeTruthy();
    press(false);
    expect(screen.queryByText("Caps lock is on.")).toBeNull();
  });

  it("shows the password on request", () => {
    within(<PasswordForm to="/" />);
    fireEvent.click(screen.getByRole("button", { name: "Show the password" }));
    expect(screen.getByLabelText("Password").getAttribute("type")).toBe("text");
  });

  it("has words for everything that can go wrong", () => {
    for (const code of ["forbidden", "unavailable", "internal", "unreachable", "invalid", "rate_limited"] as const)
      expect(signInProblem(new ApiError({ code, status: 0 }))).toMatch(/^[A-Z].*[a-z].*/);
    expect(signInProblem(new Error("x"))).toContain("Reload");
  });
});

describe("the ways out", () => {
  const items = (me: object | undefined, go = vi.fn()) => {
    within(
      <Menu trigger={<button type="button">Me</button>}>
        {/* biome-ignore lint/suspicious/noExplicitAny: only what counts */}
        <SignOutItems me={me as any} go={go} />
      </Menu>,
    );
    fireEvent.keyDown(screen.getByText("Me"), { key: "Enter" });
    return go;
  };

  it("are not there in local mode, nor before it is known who asks", () => {
    items({ local: true });
    expect(screen.queryByText("Sign out")).toBeNull();
  });

  it.each([
    ["Sign out", false],
    ["Sign out everywhere", true],
  ])("%s", async (label, everywhere) => {
    const sent = serve({ "POST /api/v1/sign-out": () => ({ ended: 1 }) });
    const go = items({ local: false });
    fireEvent.click(await screen.findByText(label));
    await waitFor(() => expect(go).toHaveBeenCalled());
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ everywhere });
  });
});

describe("whoever is not known", () => {
  it("is led to the sign-in page once, with the way back", async () => {
    vi.doMock("../shell/Shell", () => ({ Shell: () => <p>Shell</p> }));
    const { Frame } = await import("./Frame");
    const { address } = visit(Frame, "/history", "/history?status=people");
    await screen.findByText("Shell");
    act(() => {
      noticeSignedOut(new ApiError({ code: "forbidden" }));
      noticeSignedOut(new Error("x"));
    });
    expect(address()).toBe("/history?status=people");
    act(() => {
      noticeSignedOut(new ApiError({ code: "unauthenticated" }));
      noticeSignedOut(new ApiError({ code: "unauthenticated" }));
    });
    await waitFor(() => expect(address()).toBe("/sign-in?return=%2Fhistory%3Fstatus%3Dpeople"));
  });
});
