import { useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { Tabs } from "../ui";
import { Accounts } from "./Accounts";
import { Roles } from "./Roles";
import { StandIns } from "./StandIns";
import { Tokens } from "./Tokens";
import { Why } from "./Why";

const tabs = [
  { value: "accounts", label: "Accounts", content: <Accounts /> },
  { value: "roles", label: "Roles", content: <Roles /> },
  { value: "tokens", label: "Tokens", content: <Tokens /> },
  { value: "stand-ins", label: "Stand-ins", content: <StandIns /> },
  { value: "why", label: "Who may do what?", content: <Why /> },
];

/** Who may do what here. */
export function PeoplePage() {
  const { tab } = useSearch();
  const navigate = useNavigate();
  const value = tabs.some((one) => one.value === tab) ? tab : "accounts";
  return (
    <Page title="People" lead="Accounts, roles and tokens: who may do what">
      <Tabs
        label="People"
        className="-mx-4 sm:-mx-6 sm:[&>[role=tablist]]:px-6"
        value={value}
        onValueChange={(next) => void navigate({ search: next === "accounts" ? {} : { tab: next } }, { replace: true })}
        tabs={tabs.map((one) => ({
          ...one,
          content: <div className="max-w-4xl px-4 pt-4 sm:px-6">{one.content}</div>,
        }))}
      />
    </Page>
  );
}
