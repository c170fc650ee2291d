package assembly

import (
	"context"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/email"
	"github.com/assent-run/assent/internal/notify/webhook"
)

// channels open the channels of each kind. A document has been checked; secret looks up its secrets.
var channels = map[definition.ChannelKind]func(*Server, *definition.Channel) (notify.Channel, error){
	definition.ChannelPush:    func(s *Server, _ *definition.Channel) (notify.Channel, error) { return s.Push, nil },
	definition.ChannelEmail:   (*Server).email,
	definition.ChannelWebhook: (*Server).webhook,
	definition.ChannelSlack:   (*Server).slack,
	definition.ChannelTeams:   (*Server).teams,
}

// channel opens the channel of a document.
func (s *Server) channel(doc *definition.Channel) (notify.Channel, error) {
	open, ok := channels[doc.Kind]
	if !ok {
		return nil, fault.Newf(fault.Unsupported, "channels of kind %s are not available here", doc.Kind)
	}
	return open(s, doc)
}

func (s *Server) email(doc *definition.Channel) (notify.Channel, error) {
	password, err := doc.Email.Password.Expand(secret)
	if err != nil {
		return nil, err
	}
	config := email.Config{SMTP: doc.Email.SMTP, Password: password, From: doc.Email.From, To: doc.Email.To,
		Plaintext: doc.Email.Plaintext, Out: s.out, Unsubscribe: func(to notify.Recipient, m notify.Message) (string, bool) {
			if !m.Summary {
				return "", false
			}
			return s.Outbox.UnsubscribeLink(context.Background(), to.Person)
		}}
	if d := doc.Email.DKIM; d != nil {
		key, err := d.Key.Expand(secret)
		if err != nil {
			return nil, err
		}
		config.DKIM = &email.DKIM{Domain: d.Domain, Selector: d.Selector, Key: key}
	}
	return email.New(config)
}

func (s *Server) webhook(doc *definition.Channel) (notify.Channel, error) {
	signing, err := doc.Webhook.Secret.Expand(secret)
	if err != nil {
		return nil, err
	}
	key, err := doc.Webhook.SigningKey.Expand(secret)
	if err != nil {
		return nil, err
	}
	return webhook.New(webhook.Config{URL: doc.Webhook.URL, Secret: signing, SigningKey: key, Out: s.out})
}
