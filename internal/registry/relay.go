package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
)

// vendors are the addresses of Slack and Microsoft, by the key of a channel; one that ends in a slash may continue.
var vendors = map[string][]string{
	"base_url": {"https://slack.com/api", "https://slack-gov.com/api"},
	"bot.service_url": {"https://smba.trafficmanager.net/", "https://smba.infra.gcc.teams.microsoft.com/",
		"https://smba.infra.gov.teams.microsoft.us/"},
	"bot.token_url": {"https://login.microsoftonline.com/", "https://login.microsoftonline.us/"},
	"bot.openid": {"https://login.botframework.com/v1/.well-known/openidconfiguration",
		"https://login.botframework.azure.us/v1/.well-known/openidconfiguration"},
}

// ofVendor reports whether an address is the vendor's: the default, or one of those above.
func ofVendor(key, address string) bool {
	return address == "" || slices.ContainsFunc(vendors[key], func(v string) bool {
		return strings.TrimSuffix(address, "/") == v || strings.HasSuffix(v, "/") && strings.HasPrefix(address+"/", v)
	})
}

// relays returns the channel if people can decide in it: what it receives counts as theirs.
func relays(doc definition.Document) *definition.Channel {
	c, ok := doc.(*definition.Channel)
	if ok && c != nil && (c.Kind == definition.ChannelSlack || c.Teams != nil && c.Teams.Bot != nil) {
		return c
	}
	return nil
}

// relayAddresses are the addresses that report who decided, by their keys.
func relayAddresses(c *definition.Channel) map[string]string {
	out := map[string]string{}
	if c != nil && c.Slack != nil {
		out["base_url"] = c.Slack.BaseURL
	}
	if c != nil && c.Teams != nil && c.Teams.Bot != nil {
		b := c.Teams.Bot
		out["bot.service_url"], out["bot.token_url"], out["bot.openid"] = b.ServiceURL, b.TokenURL, b.OpenID
	}
	return out
}

// NotRelayed refuses callers who could decide as other people if they changed a channel.
func NotRelayed() error {
	return fault.New(fault.Forbidden, "only a person who signed in may change a channel in which people decide",
		"sign in as an administrator, or change a file that the server loads")
}

// Relays reports whether people decide in a channel that is saved, or withdrawn if doc is nil, and refuses addresses
// that could speak for them: only the operator of the server sets other ones than the vendors', in a loaded file.
func (r *Registry) Relays(kind definition.Kind, name string, doc definition.Document) (bool, error) {
	if kind != definition.KindChannel {
		return false, nil
	}
	current, _ := r.Current().set.Get(kind, name)
	was, next := relays(current), relays(doc)
	had := relayAddresses(was)
	var problems []fault.Problem
	for key, address := range relayAddresses(next) {
		if address != had[key] && !ofVendor(key, address) {
			problems = append(problems, fault.Problem{Path: key, Message: "this address reports who decided: another one " +
				"than the vendor's is accepted only in a file that the server loads"})
		}
	}
	slices.SortFunc(problems, func(x, y fault.Problem) int { return cmp.Compare(x.Path, y.Path) })
	if len(problems) > 0 {
		return true, fault.Of("the channel is not valid", problems)
	}
	return was != nil || next != nil, nil
}
