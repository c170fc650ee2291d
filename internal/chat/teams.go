package chat

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/teams"
	"github.com/assent-run/assent/internal/view"
)

// teamsMessage answers a request of the Bot Framework.
func (s *Service) teamsMessage(ctx context.Context, h http.Header, body []byte) (Answer, error) {
	audience := teams.Audience(h)
	for _, c := range s.Teams() {
		if !slices.Contains(audience, c.Bot()) {
			continue
		}
		a, err := c.Read(ctx, h, body, s.Now())
		if err != nil {
			return Answer{}, s.refuse(ctx, gate.ViaTeams, err)
		}
		if a.Press == nil {
			return nothing, nil
		}
		if s.seen.again("teams "+c.Bot()+" "+a.Conversation+" "+a.ID, s.Now(), slackSkew) {
			return Answer{}, s.refuse(ctx, gate.ViaTeams, errReplayed)
		}
		return answer(s.teamsPressed(ctx, c, a)), nil
	}
	return Answer{}, s.refuse(ctx, gate.ViaTeams, teams.ErrForged)
}

// teamsPressed decides as the person who pressed a button, and returns what they see.
func (s *Service) teamsPressed(ctx context.Context, c *teams.Channel, a teams.Activity) []byte {
	u := user{program: gate.ViaTeams, workspace: a.Tenant, id: a.Object, label: a.UserName}
	m, err := c.Member(ctx, a.Conversation, a.User)
	if err != nil {
		s.Log.Warn("look up a person in Teams", "error", err)
	} else {
		u.address, u.label = m.Principal, m.Name
	}
	who, err := s.person(ctx, u)
	if err == nil {
		err = s.decide(ctx, who, a.Press.Approval, app.Decision{Act: a.Press.Act, Option: a.Press.Option,
			Version: a.Press.Version, Comment: a.Press.Comment}, a.Press.Key+" "+a.Object+" "+a.ID)
	}
	var f *fault.Error
	switch {
	case errors.Is(err, errUnlinked):
		link, err := s.offer(ctx, u)
		if err != nil {
			s.Log.Error("offer a link to a user of Teams", "error", err)
			return teams.Message("Your user could not be linked. Try again later.")
		}
		return teams.Replace(teams.Card(notify.Message{Title: "Assent does not know yet who you are",
			Text: "Sign in there once to link your user; then press the button again.", Open: link}, false))
	case err != nil:
		if !errors.As(err, &f) {
			s.Log.Error("decide in Teams", "approval", a.Press.Approval, "error", err)
		}
		return teams.Message(words(err))
	}
	v, err := s.App.Approval(ctx, who, a.Press.Approval, false)
	if err != nil {
		return teams.Message("Recorded.")
	}
	return teams.Replace(teams.Card(s.after(v), false))
}

// after is the message after a decision, for the person who took it.
func (s *Service) after(v view.Approval) notify.Message {
	text := "Your decision is recorded."
	if v.Status == gate.Pending {
		text += " More approvals are needed."
	}
	return notify.Message{Title: v.Title, Text: text, Settled: true, Open: s.page("/approvals/" + v.ID)}
}
