package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
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

// Loader is the author of documents from files: a program, so that a person with an account of that name is not taken
// for the author.
const Loader = "service:files"

// program reports whether an author is a program other than the server itself.
func program(by string) bool {
	return by != "" && by != Loader && run.ActorOf(by).Kind != run.Person
}

// ofPrograms reports whether people decide in a channel that a program put in force. No program can any longer, but
// earlier releases let them.
func ofPrograms(doc definition.Document, v port.Version) bool {
	return relays(doc) != nil && program(v.PublishedBy)
}

// ChannelsOfPrograms are the channels in force in which people decide and that a program put in force, with that
// program. When an administrator who signed in saves and publishes one again, even unchanged, it is not among them.
func ChannelsOfPrograms(ctx context.Context, store interface {
	InForce(ctx context.Context, kind string) ([]port.Version, error)
}) (out []string, err error) {
	all, err := store.InForce(ctx, string(definition.KindChannel))
	if err != nil {
		return nil, fmt.Errorf("read the channels in force: %w", err)
	}
	for _, v := range all {
		// A document of another release is in the log as one that cannot be read.
		if doc, _ := definition.ParseDocument(definition.JSON, v.Body); doc != nil && ofPrograms(doc, v) {
			out = append(out, fmt.Sprintf("%s (by %s)", v.Name, v.PublishedBy))
		}
	}
	return out, nil
}

// ChannelAdvice is what to do about ChannelsOfPrograms.
const ChannelAdvice = "check their secrets and addresses, then save and publish them again as an administrator who " +
	"signed in, or remove them"

// WarnOfPrograms logs ChannelsOfPrograms.
func (r *Registry) WarnOfPrograms(ctx context.Context) error {
	found, err := ChannelsOfPrograms(ctx, r.Store)
	if len(found) > 0 {
		r.Log.Warn("people decide in channels that a program saved: "+ChannelAdvice, "channels", found)
	}
	return err
}
