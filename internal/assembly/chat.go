package assembly

import (
	"context"
	"net/http"
	"sync"

	"github.com/assent-run/assent/internal/chat"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/slack"
	"github.com/assent-run/assent/internal/notify/teams"
)

// talk opens the part that receives decisions in chat.
func (s *Server) talk(c Config) *chat.Service {
	return chat.New(chat.Config{App: s.App, Notices: s.App.Notices, Refused: s.App.Access.Refused, People: s.Auth,
		WithStandIns: s.App.Rights.WithStandIns, Links: s.Store, Requests: s.Store,
		Slack: inForce[*slack.Channel](s), Teams: inForce[*teams.Channel](s),
		PublicURL: c.PublicURL, Now: s.App.Now, Log: c.Log})
}

// slack opens a channel of kind slack.
func (s *Server) slack(d *definition.Channel) (notify.Channel, error) {
	token, err := d.Slack.Token.Expand(secret)
	if err != nil {
		return nil, err
	}
	signs, err := d.Slack.SigningSecret.Expand(secret)
	if err != nil {
		return nil, err
	}
	return slack.New(slack.Config{Name: d.Name, Token: token, SigningSecret: signs, To: d.Slack.To,
		BaseURL: d.Slack.BaseURL, HTTP: &http.Client{Transport: s.out.Transport()},
		Users: func(ctx context.Context, team, person string) (string, string, error) {
			return s.Chat.UserOf(ctx, gate.ViaSlack, team, person)
		}})
}

// teams opens a channel of kind teams.
func (s *Server) teams(d *definition.Channel) (notify.Channel, error) {
	c := teams.Config{Name: d.Name, HTTP: &http.Client{Transport: s.out.Transport()}}
	var err error
	if c.URL, err = d.Teams.URL.Expand(secret); err != nil {
		return nil, err
	}
	if b := d.Teams.Bot; b != nil {
		c.Bot = &teams.Bot{ID: b.ID, Tenant: b.Tenant, Conversation: b.Conversation, ServiceURL: b.ServiceURL,
			TokenURL: b.TokenURL, OpenID: b.OpenID}
		c.User = func(ctx context.Context, tenant, person string) (string, error) {
			id, _, err := s.Chat.UserOf(ctx, gate.ViaTeams, tenant, person)
			return id, err
		}
		c.Deciders = func(ctx context.Context, tenant, approval string, all []teams.Member) ([]teams.Member, error) {
			return s.Chat.Deciders(ctx, tenant, approval, all)
		}
		if c.Bot.Password, err = b.Password.Expand(secret); err != nil {
			return nil, err
		}
	}
	return teams.New(c)
}

// inForce returns the channels in force that receive requests. Each is opened once for each version of its document.
func inForce[T notify.Channel](s *Server) func() []T {
	var mu sync.Mutex
	open := map[*definition.Channel]T{}
	return func() (out []T) {
		mu.Lock()
		defer mu.Unlock()
		next := map[*definition.Channel]T{}
		for _, doc := range s.App.Supply.ChannelDocuments() {
			c, ok := open[doc]
			if !ok && (doc.Kind == definition.ChannelSlack || doc.Kind == definition.ChannelTeams) {
				opened, err := s.channel(doc)
				if c, ok = opened.(T); err != nil {
					continue // sending reports it
				}
			}
			if ok {
				next[doc] = c
				out = append(out, c)
			}
		}
		open = next
		return out
	}
}
