package chat

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify/slack"
	"github.com/assent-run/assent/internal/port"
)

const (
	homesMax  = 1000            // home tabs that are kept current
	homeEvery = 3 * time.Second // how often they are drawn again, at most
	homeShown = 20
)

// homes are the home tabs that people have opened.
type homes struct {
	mu   sync.Mutex
	open map[string]*home // by channel and user
	due  bool             // they are about to be drawn
}

type home struct {
	channel *slack.Channel
	user    string
	drawn   time.Time
}

// slackEvent answers an event: the check of the address, and home tabs.
func (s *Service) slackEvent(ctx context.Context, h http.Header, body []byte) (Answer, error) {
	c, err := s.slackChannel(ctx, h, body)
	if err != nil {
		return Answer{}, err
	}
	e, err := slack.ReadEvent(body)
	if err != nil {
		return Answer{}, s.refuse(ctx, gate.ViaSlack, errContent)
	}
	switch e.Type {
	case "url_verification":
		return Answer{Status: http.StatusOK, Media: "text/plain; charset=utf-8", Body: []byte(e.Challenge)}, nil
	case "app_home_opened":
		if e.Tab != "" && e.Tab != "home" || e.User == "" {
			return nothing, nil
		}
		team, err := c.Team(ctx)
		if err == nil && e.Team != team.ID {
			return Answer{}, s.refuse(ctx, gate.ViaSlack, errForeign)
		}
		s.opened(c, e.User)
		return s.within(ctx, func(ctx context.Context) Answer {
			s.draw(ctx, c, e.User)
			return nothing
		}), nil
	}
	return nothing, nil
}

// opened remembers a home tab, instead of the one that was drawn longest ago if there are too many.
func (s *Service) opened(c *slack.Channel, user string) {
	s.homes.mu.Lock()
	defer s.homes.mu.Unlock()
	if s.homes.open == nil {
		s.homes.open = map[string]*home{}
	}
	key := c.Name() + " " + user
	if s.homes.open[key] == nil && len(s.homes.open) >= homesMax {
		oldest := ""
		for k, h := range s.homes.open {
			if oldest == "" || h.drawn.Before(s.homes.open[oldest].drawn) {
				oldest = k
			}
		}
		delete(s.homes.open, oldest)
	}
	s.homes.open[key] = &home{channel: c, user: user, drawn: s.Now()}
}

// Changed draws the open home tabs soon: once for everything that changes until then. It is called when approvals
// changed.
func (s *Service) Changed() {
	s.homes.mu.Lock()
	defer s.homes.mu.Unlock()
	if s.homes.due || len(s.homes.open) == 0 || s.ctx.Err() != nil {
		return
	}
	s.homes.due = true
	s.work.Go(func() {
		select {
		case <-time.After(homeEvery):
		case <-s.ctx.Done():
			return
		}
		s.homes.mu.Lock()
		s.homes.due = false
		all := slices.Collect(maps.Values(s.homes.open))
		s.homes.mu.Unlock()
		for _, h := range all {
			s.draw(s.ctx, h.channel, h.user)
		}
	})
}

// draw publishes the inbox of a user.
func (s *Service) draw(ctx context.Context, c *slack.Channel, id string) {
	var shown []slack.Waiting
	more := 0
	who, _, err := s.slackPerson(ctx, c, slack.User{ID: id})
	if err == nil {
		list, lerr := s.App.Lists(who).Mine(ctx,
			port.ApprovalQuery{Status: []string{string(gate.Pending)}, Limit: homeShown})
		if err = lerr; err == nil {
			more = max(int(list.Total)-len(list.Items), 0)
			for _, v := range list.Items {
				shown = append(shown, slack.Waiting{Title: v.Title, Text: v.Workflow + " · " + string(v.Risk.Level),
					Open: s.page("/approvals/" + v.ID)})
			}
		}
	}
	if err != nil {
		shown = []slack.Waiting{{Title: "Your inbox is not available here yet", Text: words(err), Open: s.page("/")}}
		if link, oerr := s.offerIfUnlinked(ctx, c, id, err); oerr == nil && link != "" {
			shown = []slack.Waiting{{Title: "Link your Slack user to your account in Assent", Open: link}}
		}
	}
	if err := c.Home(ctx, id, shown, more, s.page("/")); err != nil {
		s.Log.Warn("publish a home tab in Slack", "error", err)
	}
}

// offerIfUnlinked is the address that links a user, if err says that they are not linked.
func (s *Service) offerIfUnlinked(ctx context.Context, c *slack.Channel, id string, err error) (string, error) {
	if !errors.Is(err, errUnlinked) {
		return "", nil
	}
	p, err := c.Profile(ctx, id)
	if err != nil {
		return "", err
	}
	return s.offer(ctx, user{program: gate.ViaSlack, workspace: p.Team, id: id, label: p.Name})
}
