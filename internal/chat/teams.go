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
		if a.Press == nil && a.View == nil && (a.Type != "message" || !a.Personal) {
			return nothing, nil
		}
		key := c.Bot() + " " + a.Conversation + " " + a.ID
		if s.seen.again("teams "+key, s.Now(), slackSkew) {
			return Answer{}, s.refuse(ctx, gate.ViaTeams, errReplayed)
		}
		if a.Press != nil {
			if err := s.once(ctx, gate.ViaTeams, key); err != nil {
				return Answer{}, err
			}
		}
		switch {
		case a.View != nil:
			return answer(s.teamsView(ctx, c, a)), nil
		case a.Press != nil:
			return answer(s.teamsPressed(ctx, c, a)), nil
		}
		s.teamsGreet(ctx, c, a)
		return nothing, nil
	}
	return Answer{}, s.refuse(ctx, gate.ViaTeams, teams.ErrForged)
}

// teamsUser is a user of Teams.
func (s *Service) teamsUser(ctx context.Context, c *teams.Channel, a teams.Activity) user {
	u := user{program: gate.ViaTeams, workspace: a.Tenant, id: a.Object, label: a.UserName}
	m, err := c.Member(ctx, a.Conversation, a.User)
	if err != nil {
		s.Log.Warn("look up a person in Teams", "error", err)
	} else {
		u.address, u.label = m.Principal, m.Name
	}
	return u
}

// teamsView is a card as one reader sees it: with buttons, if they may decide.
func (s *Service) teamsView(ctx context.Context, c *teams.Channel, a teams.Activity) []byte {
	who, err := s.person(ctx, s.teamsUser(ctx, c, a))
	if err != nil || who.Name == "" { // the card of the room stays
		return teams.Message("Your account isn't linked to Assent. Open the approval there.")
	}
	v, err := s.Notices.Approval(ctx, who, a.View.Approval)
	if err != nil {
		return teams.Message("This approval is not for you.")
	}
	m := notify.Compose(v, notify.Sheet{Event: notify.ApprovalNeeded, Key: a.View.Key, At: v.RequestedAt, Room: c.Room(),
		Edits: true, Link: s.page("/approvals/" + v.ID), Whole: true})
	return teams.Replace(teams.Card(m, true))
}

// teamsGreet answers a person who writes to the bot: with a link, if they are not linked yet. The bot writes to those
// who are.
func (s *Service) teamsGreet(ctx context.Context, c *teams.Channel, a teams.Activity) {
	u := s.teamsUser(ctx, c, a)
	m := notify.Message{Title: "Assent", Text: "Approvals for you appear here.", Settled: true, Open: s.page("/inbox")}
	if _, err := s.Links.Link(ctx, u.link()); fault.Is(err, fault.NotFound) {
		m = s.teamsOffer(ctx, u)
	}
	if _, err := c.Send(ctx, notify.Recipient{Person: u.id, Address: a.Conversation}, m); err != nil {
		s.Log.Warn("answer a person in Teams", "error", err)
	}
}

// teamsOffer is a message with the link that makes a user known.
func (s *Service) teamsOffer(ctx context.Context, u user) notify.Message {
	link, err := s.offer(ctx, u)
	if err != nil {
		s.Log.Error("offer a link to a user of Teams", "error", err)
		return notify.Message{Title: "Your user could not be linked. Try again later.", Settled: true}
	}
	return notify.Message{Title: "Link your user", Text: "Your account isn't linked to Assent. Sign in there once to " +
		"link your user.", Open: link, Settled: true}
}

// Deciders are those members of a room in Teams who may decide an approval.
func (s *Service) Deciders(ctx context.Context, tenant, approval string, members []teams.Member) (out []teams.Member,
	err error) {
	for _, m := range members {
		who, err := s.person(ctx, user{program: gate.ViaTeams, workspace: tenant, id: m.Object, address: m.Principal})
		if err != nil {
			continue // they are not known here, or may not act
		}
		v, err := s.Notices.Approval(ctx, who, approval)
		if err == nil && len(v.Acts) > 0 && v.Status == gate.Pending {
			out = append(out, m)
		}
	}
	return out, ctx.Err()
}

// teamsPressed decides as the person who pressed a button, and returns what they see.
func (s *Service) teamsPressed(ctx context.Context, c *teams.Channel, a teams.Activity) []byte {
	u := s.teamsUser(ctx, c, a)
	who, err := s.person(ctx, u)
	if err == nil {
		err = s.decide(ctx, who, a.Press.Approval, app.Decision{Act: a.Press.Act, Option: a.Press.Option,
			Version: a.Press.Version, Comment: a.Press.Comment}, a.Press.Key+" "+a.Object+" "+a.ID)
	}
	var f *fault.Error
	switch {
	case errors.Is(err, errUnlinked):
		m := s.teamsOffer(ctx, u)
		if m.Open == "" {
			return teams.Message(m.Title)
		}
		m.Text += " Then press the button again."
		return teams.Replace(teams.Card(m, false))
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
