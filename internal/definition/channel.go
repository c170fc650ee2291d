package definition

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
)

// ChannelKind is how messages of a channel are sent.
type ChannelKind string

const (
	ChannelEmail   ChannelKind = "email"
	ChannelSlack   ChannelKind = "slack"
	ChannelTeams   ChannelKind = "teams"
	ChannelWebhook ChannelKind = "webhook"
	ChannelPush    ChannelKind = "push"
)

// ChannelKinds lists them all.
var ChannelKinds = []ChannelKind{ChannelEmail, ChannelSlack, ChannelTeams, ChannelWebhook, ChannelPush}

// Personal reports whether a channel reaches people one by one.
func (c *Channel) Personal() bool {
	switch c.Kind {
	case ChannelSlack:
		return c.Slack != nil && c.Slack.To == ""
	case ChannelTeams:
		return c.Teams != nil && c.Teams.Bot != nil && c.Teams.Bot.Conversation == ""
	}
	return c.Kind == ChannelEmail || c.Kind == ChannelPush
}

// Channel is a way to reach people or programs. Of the parts by kind, the one of its own kind is set.
type Channel struct {
	Name        string      `json:"channel"`
	Kind        ChannelKind `json:"kind"`
	Description string      `json:"description,omitempty"`

	Email   *EmailChannel   `json:"-"`
	Slack   *SlackChannel   `json:"-"`
	Teams   *TeamsChannel   `json:"-"`
	Webhook *WebhookChannel `json:"-"`

	Place Place `json:"-"`
}

// EmailChannel sends mail.
type EmailChannel struct {
	SMTP     string   `json:"smtp,omitempty"` // smtp[s]://[user@]HOST:PORT
	Password Secret   `json:"password,omitzero"`
	From     string   `json:"from,omitempty"`
	To       []string `json:"to,omitempty"` // get every message, in addition to the people concerned
	// Plaintext permits a connection without encryption; to this machine it is always permitted.
	Plaintext bool  `json:"plaintext,omitempty"`
	DKIM      *DKIM `json:"dkim,omitempty"`
}

// DKIM signs mail in the name of a domain.
type DKIM struct {
	Domain   string `json:"domain"`
	Selector string `json:"selector"`
	Key      Secret `json:"key"` // private key in PEM
}

// SlackChannel posts to a Slack workspace.
type SlackChannel struct {
	Token         Secret `json:"token,omitzero"`
	SigningSecret Secret `json:"signing_secret,omitzero"`
	To            string `json:"to,omitempty"` // a room; empty: direct messages to the people concerned
	BaseURL       string `json:"base_url,omitempty"`
}

// TeamsChannel posts to a room of Microsoft Teams.
type TeamsChannel struct {
	URL Secret    `json:"url,omitzero"` // of a Workflows webhook
	Bot *TeamsBot `json:"bot,omitempty"`
}

// TeamsBot lets people decide in Teams.
type TeamsBot struct {
	ID           string `json:"id"` // of the app
	Password     Secret `json:"password,omitzero"`
	Tenant       string `json:"tenant,omitempty"`
	Conversation string `json:"conversation,omitempty"` // the room it posts to
	ServiceURL   string `json:"service_url,omitempty"`
	TokenURL     string `json:"token_url,omitempty"` // where it gets its tokens
	OpenID       string `json:"openid,omitempty"`    // metadata of who signs requests of Teams
}

// WebhookChannel posts to a program.
type WebhookChannel struct {
	URL        string `json:"url,omitempty"`
	Secret     Secret `json:"secret,omitzero"`      // whsec_…: signs with v1
	SigningKey Secret `json:"signing_key,omitzero"` // whsk_…: signs with v1a in addition
}

type (
	channelBody      Channel // without methods
	emailChannelForm struct {
		channelBody
		EmailChannel
	}
	slackChannelForm struct {
		channelBody
		SlackChannel
	}
	teamsChannelForm struct {
		channelBody
		TeamsChannel
	}
	webhookChannelForm struct {
		channelBody
		WebhookChannel
	}
)

// form is the channel as written in a file.
func (c *Channel) form() any {
	switch {
	case c.Kind == ChannelEmail && c.Email != nil:
		return emailChannelForm{channelBody(*c), *c.Email}
	case c.Kind == ChannelSlack && c.Slack != nil:
		return slackChannelForm{channelBody(*c), *c.Slack}
	case c.Kind == ChannelTeams && c.Teams != nil:
		return teamsChannelForm{channelBody(*c), *c.Teams}
	case c.Kind == ChannelWebhook && c.Webhook != nil:
		return webhookChannelForm{channelBody(*c), *c.Webhook}
	}
	return channelBody(*c)
}

// MarshalJSON writes the document as in a file; see JSON.
func (c *Channel) MarshalJSON() ([]byte, error) { return c.JSON(), nil }

// UnmarshalJSON reads the document strictly, as ParseDocument does.
func (c *Channel) UnmarshalJSON(raw []byte) error { return unmarshal(raw, c) }

// revealed is a copy with its secrets in plain text.
func (c *Channel) revealed() *Channel {
	out := new(*c)
	if c.Email != nil {
		out.Email = new(*c.Email)
		out.Email.Password = c.Email.Password.opened()
		if c.Email.DKIM != nil {
			out.Email.DKIM = new(*c.Email.DKIM)
			out.Email.DKIM.Key = c.Email.DKIM.Key.opened()
		}
	}
	if c.Slack != nil {
		out.Slack = new(*c.Slack)
		out.Slack.Token, out.Slack.SigningSecret = c.Slack.Token.opened(), c.Slack.SigningSecret.opened()
	}
	if c.Teams != nil {
		out.Teams = new(*c.Teams)
		out.Teams.URL = c.Teams.URL.opened()
		if c.Teams.Bot != nil {
			out.Teams.Bot = new(*c.Teams.Bot)
			out.Teams.Bot.Password = c.Teams.Bot.Password.opened()
		}
	}
	if c.Webhook != nil {
		out.Webhook = new(*c.Webhook)
		out.Webhook.Secret, out.Webhook.SigningKey = c.Webhook.Secret.opened(), c.Webhook.SigningKey.opened()
	}
	return out
}

func (d *decoder) channel() Document {
	kind, known := ownKind(d, ChannelKinds)
	if !known {
		d.common("channel", &channelBody{})
		return nil
	}
	var c Channel
	switch form := "channel/" + string(kind); kind {
	case ChannelEmail:
		f := &emailChannelForm{}
		d.into(f, form)
		c, c.Email = Channel(f.channelBody), &f.EmailChannel
	case ChannelSlack:
		f := &slackChannelForm{}
		d.into(f, form)
		c, c.Slack = Channel(f.channelBody), &f.SlackChannel
	case ChannelTeams:
		f := &teamsChannelForm{}
		d.into(f, form)
		c, c.Teams = Channel(f.channelBody), &f.TeamsChannel
	case ChannelWebhook:
		f := &webhookChannelForm{}
		d.into(f, form)
		c, c.Webhook = Channel(f.channelBody), &f.WebhookChannel
	default:
		f := &channelBody{}
		d.into(f, form)
		c = Channel(*f)
	}
	d.name(KindChannel, c.Name)
	c.Place = d.place
	return &c
}

func (c *checker) channel(ch *Channel) {
	if slices.Contains(pages, ch.Name) {
		c.add(ch.Place.bad("channel", "%s is reserved for the web UI: give the channel another name", ch.Name))
	}
	c.word(ch.Place, "kind", string(ch.Kind), texts(ChannelKinds))
	switch ch.Kind {
	case ChannelEmail:
		c.email(ch.Place, orEmpty(ch.Email))
	case ChannelSlack:
		c.slack(ch.Place, orEmpty(ch.Slack))
	case ChannelTeams:
		c.teams(ch.Place, orEmpty(ch.Teams))
	case ChannelWebhook:
		c.webhook(ch.Place, orEmpty(ch.Webhook))
	}
}

func (c *checker) email(place Place, e *EmailChannel) {
	const noAddress = "%q is not an e-mail address: write one such as ann@example.com"
	const write = "write smtp://HOST:PORT or smtps://HOST:PORT, with USER@ before the host if it asks for a password"
	u, err := url.Parse(e.SMTP)
	port := uint64(0)
	if err == nil {
		port, err = strconv.ParseUint(u.Port(), 10, 16)
	}
	switch {
	case e.SMTP == "":
		c.add(place.bad("smtp", "the mail server is missing: %s", write))
	case err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || port == 0 ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		c.add(place.bad("smtp", "this is not the address of a mail server: %s", write))
	default:
		if _, has := u.User.Password(); has {
			c.add(place.bad("smtp", "a password in an address is visible to everyone: write it as password"))
		}
		if !e.Password.IsZero() && u.User.Username() == "" {
			c.add(place.bad("password", "a password needs a user: write USER@ before the host in smtp"))
		}
	}
	if e.From == "" {
		c.add(place.bad("from", "the address of the sender is missing: write from: Assent <assent@example.com>"))
	} else if _, err := mail.ParseAddress(e.From); err != nil {
		c.add(place.bad("from", noAddress, clip(e.From)))
	}
	for i, to := range e.To {
		if _, err := mail.ParseAddress(to); err != nil {
			c.add(place.bad(fmt.Sprintf("to[%d]", i), noAddress, clip(to)))
		}
	}
	c.byReference(place, "password", e.Password)
	if e.Plaintext {
		c.add(place.warn("plaintext", "mails and the password are sent without encryption if the server offers none"))
	}
	if e.DKIM != nil {
		for key, text := range map[string]string{"dkim.domain": e.DKIM.Domain, "dkim.selector": e.DKIM.Selector} {
			if text == "" || strings.ContainsAny(text, " ;=\t\r\n") {
				c.add(place.bad(key, "DKIM needs a domain, a selector and a key"))
			}
		}
		if e.DKIM.Key.IsZero() {
			c.add(place.bad("dkim.key", "the private key is missing: refer to it with ${env:NAME} or ${file:PATH}"))
		}
		c.byReference(place, "dkim.key", e.DKIM.Key)
	}
}

func (c *checker) slack(place Place, s *SlackChannel) {
	if s.Token.IsZero() {
		c.add(place.bad("token", "the token of the bot is missing: write ${env:NAME} or ${file:PATH}"))
	}
	if s.SigningSecret.IsZero() {
		c.add(place.warn("signing_secret", "without it messages have no buttons: decisions in Slack are not accepted"))
	}
	if s.BaseURL != "" {
		c.url(place, "base_url", s.BaseURL)
	}
	c.byReference(place, "token", s.Token)
	c.byReference(place, "signing_secret", s.SigningSecret)
}

func (c *checker) teams(place Place, t *TeamsChannel) {
	switch {
	case t.URL.IsZero() && t.Bot == nil:
		c.add(place.bad("url", "the url of the Workflows webhook is missing: write ${env:NAME}, or a bot"))
	case !t.URL.IsZero() && len(t.URL.References()) == 0:
		if u, err := url.Parse(t.URL.Reveal()); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			c.add(place.bad("url", "this is not a URL: write https://HOST/PATH"))
		}
	}
	if b := t.Bot; b != nil {
		if b.ID == "" || b.Password.IsZero() {
			c.add(place.bad("bot", "a bot needs the id and the password of its app"))
		}
		for key, text := range map[string]string{"service_url": b.ServiceURL, "token_url": b.TokenURL, "openid": b.OpenID} {
			if text != "" {
				c.url(place, "bot."+key, text)
			}
		}
		c.byReference(place, "bot.password", b.Password)
	}
}

func (c *checker) webhook(place Place, w *WebhookChannel) {
	if w.URL == "" {
		c.add(place.bad("url", "the url is missing: write https://HOST/PATH"))
	} else {
		c.url(place, "url", w.URL)
	}
	if w.Secret.IsZero() {
		c.add(place.bad("secret", "the secret that signs requests is missing: write ${env:NAME} or ${file:PATH}"))
	}
	c.standardKey(place, "secret", w.Secret)
	c.byReference(place, "signing_key", w.SigningKey)
}

// byReference warns of secrets that are in the document itself.
func (c *checker) byReference(place Place, key string, s Secret) {
	if !s.IsZero() && len(s.References()) == 0 {
		c.add(place.warn(key, "this is the secret itself: store it elsewhere and refer to it with "+
			"${env:NAME} or ${file:PATH}"))
	}
}

// pages are the words for the pages of this server, which need no channel.
var pages = []string{"in_app", "dashboard"}

// channelNames checks the names of channels that a document uses.
func (c *checker) channelNames(place Place, path string, names []string) {
	for i, name := range names {
		at := path
		if len(names) > 1 {
			at = fmt.Sprintf("%s[%d]", path, i)
		}
		if !c.channels[name] && !slices.Contains(gate.Channels, name) {
			known := slices.Concat(gate.Channels, sortedKeys(c.channels))
			c.add(place.bad(at, "unknown channel %q%s", clip(name),
				cmp.Or(c.didYouMean(name, known), ": write the name or the kind of a channel")))
		}
	}
}

// notify checks a notify, and the channels that it names. Runs of workflows that were saved with one continue: plans
// ignore it.
func (c *checker) notify(place Place, at string, raw json.RawMessage) {
	n, problems := gate.ReadNotify(at, raw)
	for _, p := range problems {
		c.add(place.bad(p.Path, "%s", p.Message))
	}
	if len(problems) == 0 {
		c.channelNames(place, at+".channels", n.Channels)
	}
}

// policyChannels checks the channels that the rules of a policy name.
func (c *checker) policyChannels(p *Policy) {
	for i, r := range slices.Concat(p.Rules, p.Checkpoints) {
		at := fmt.Sprintf("rules[%d].action", i)
		if i >= len(p.Rules) {
			at = fmt.Sprintf("checkpoints[%d].action", i-len(p.Rules))
		}
		c.ruleChannels(p.Place, at, r.Action.Notification, r.Action.NotificationChannels)
	}
	if p.AutoApproval == nil {
		return
	}
	for i := range p.AutoApproval.Rules {
		a := &p.AutoApproval.Rules[i].Action
		c.ruleChannels(p.Place, fmt.Sprintf("auto_approval.rules[%d].action", i), a.Notification, a.NotificationChannels)
	}
}

func (c *checker) ruleChannels(place Place, at string, raw json.RawMessage, names []string) {
	if n, problems := gate.ReadNotify(at, raw); len(problems) == 0 { // reported by the core
		c.channelNames(place, at+".notification.channels", n.Channels)
	}
	if len(gate.CheckChannels(at, names)) == 0 {
		c.channelNames(place, at+".notification_channels", names)
	}
}
