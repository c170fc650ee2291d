package auth

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/directory"
)

// claims are an identity provider's statements about a person.
type claims map[string]json.RawMessage

func (c claims) text(name string) string {
	var s string
	if json.Unmarshal(c[name], &s) != nil {
		return ""
	}
	return s
}

// list reads a claim that is a list of texts, or one text.
func (c claims) list(name string) []string {
	var many []string
	if json.Unmarshal(c[name], &many) == nil {
		return many
	}
	if one := c.text(name); one != "" {
		return []string{one}
	}
	return nil
}

// flag reads a claim that is true, or "true" as some providers write it.
func (c claims) flag(name string) bool {
	return string(c[name]) == "true" || c.text(name) == "true"
}

// add fills in claims that are missing.
func (c claims) add(more claims) {
	for name, v := range more {
		if _, known := c[name]; !known {
			c[name] = v
		}
	}
}

const claimEmail = "email"

// name is the person's name here. A mail address counts only if the provider has verified it: otherwise people could
// enter any.
func (c claims) name(claim string) (string, error) {
	name := c.text(claim)
	if claim == claimEmail {
		name = strings.ToLower(name)
	}
	switch {
	case name == "":
		return "", fault.New(fault.Forbidden,
			fmt.Sprintf("the identity provider does not send the claim %s", claim),
			"request its scope with oidc_scopes, or use another claim with oidc_name_claim")
	case claim == claimEmail && !c.flag("email_verified"):
		return "", fault.New(fault.Forbidden, "the identity provider has not verified this e-mail address",
			"verify it there, or use another claim with oidc_name_claim")
	case !directory.GoodName(name):
		return "", fault.New(fault.Forbidden, "the identity provider sends a name that is not valid here",
			"use another claim with oidc_name_claim")
	}
	return name, nil
}

// allGroups matches every group in a mapping.
const allGroups = "*"

// roles translates a person's groups. People without a role are refused: being known to the identity provider does not
// grant access here.
func (c claims) roles(claim string, mapping map[string][]string) ([]string, error) {
	out := slices.Clone(mapping[allGroups])
	for _, group := range c.list(claim) {
		if group != allGroups {
			out = append(out, mapping[group]...)
		}
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) == 0 {
		return nil, fault.New(fault.Forbidden, "none of your groups has a role here",
			"an administrator can assign one with oidc_roles")
	}
	return out, nil
}
