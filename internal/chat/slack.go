package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify/slack"
	"github.com/assent-run/assent/internal/port"
)

var (
	errReplayed = errors.New("the request was received before")
	errForeign  = errors.New("the request comes from another workspace")
	errContent  = errors.New("the content of the request is not valid")
)

const (
	defaultSoon = 2 * time.Second
	slackSkew   = 11 * time.Minute // how long a signed request could count
	workFor     = 30 * time.Second // what continues after the answer
)

// slackChannel finds the channel whose app signed a request.
func (s *Service) slackChannel(ctx context.Context, h http.Header, body []byte) (*slack.Channel, error) {
	reason := slack.ErrUnsigned
	now := s.Now()
	for _, c := range s.Slack() {
		err := slack.Verify(c.Secret(), h, body, now)
		if err == nil {
			if s.seen.again("slack "+h.Get("X-Slack-Signature"), now, slackSkew) {
				return nil, s.refuse(ctx, gate.ViaSlack, errReplayed)
			}
			return c, nil
		}
		if errors.Is(reason, slack.ErrUnsigned) || errors.Is(err, slack.ErrLate) {
			reason = err
		}
	}
	return nil, s.refuse(ctx, gate.ViaSlack, reason)
}

// slackInteraction answers a press or a dialog.
func (s *Service) slackInteraction(ctx context.Context, h http.Header, body []byte) (Answer, error) {
	c, err := s.slackChannel(ctx, h, body)
	if err != nil {
		return Answer{}, err
	}
	i, err := slack.Read(body)
	if err != nil {
		return Answer{}, s.refuse(ctx, gate.ViaSlack, errContent)
	}
	if i.Press == nil { // a link, or nothing of ours
		return nothing, nil
	}
	team, err := c.Team(ctx)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %v", port.ErrUnavailable, err)
	}
	if i.Team != team.ID {
		return Answer{}, s.refuse(ctx, gate.ViaSlack, errForeign)
	}
	if err := s.once(ctx, gate.ViaSlack, h.Get("X-Slack-Signature")); err != nil {
		return Answer{}, err
	}
	return s.within(ctx, func(ctx context.Context) Answer { return s.pressed(ctx, c, i) }), nil
}

// within answers in time: what takes longer continues, and its answer is dropped.
func (s *Service) within(ctx context.Context, f func(context.Context) Answer) Answer {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), workFor)
	done := make(chan Answer, 1)
	s.work.Go(func() {
		defer cancel()
		done <- f(ctx)
	})
	select {
	case a := <-done:
		return a
	case <-time.After(s.Soon):
		return nothing
	}
}

// pressed carries out what a user asked for.
func (s *Service) pressed(ctx context.Context, c *slack.Channel, i slack.Interaction) Answer {
	who, u, err := s.slackPerson(ctx, c, i.User)
	if err == nil {
		if i.Type == "block_actions" && (i.Press.Comment || i.Press.Act == gate.Modify) {
			err = s.ask(ctx, c, who, i)
		} else {
			err = s.slackDecide(ctx, who, i)
		}
	}
	if err == nil {
		s.Changed()
		return nothing
	}
	return s.explain(ctx, c, i, u, err)
}

// slackPerson is who a Slack user is here.
func (s *Service) slackPerson(ctx context.Context, c *slack.Channel, from slack.User) (app.Who, user, error) {
	p, err := c.Profile(ctx, from.ID)
	if err != nil {
		return app.Who{}, user{}, err
	}
	u := user{program: gate.ViaSlack, workspace: p.Team, id: from.ID, label: p.Name, address: p.Email}
	if p.Barred {
		return app.Who{}, u, fault.New(fault.Forbidden, "bots and deactivated users can't decide", "")
	}
	who, err := s.person(ctx, u)
	return who, u, err
}

func (s *Service) slackDecide(ctx context.Context, who app.Who, i slack.Interaction) error {
	d := app.Decision{Act: i.Press.Act, Option: i.Press.Option, Version: i.Press.Version, Comment: i.Comment()}
	if d.Act == gate.Modify {
		changes, err := s.changes(ctx, who, i)
		if err != nil {
			return err
		}
		if d.Changes = changes; len(changes) == len("{}") {
			d.Act, d.Changes = gate.Approve, nil
		}
	}
	return s.decide(ctx, who, i.Press.Approval, d, i.Press.Key+" "+i.User.ID+" "+i.At)
}

// explain tells a user why nothing was decided; those who are not linked yet, how to do that.
func (s *Service) explain(ctx context.Context, c *slack.Channel, i slack.Interaction, u user, err error) Answer {
	text, label, link := words(err), "", ""
	var f *fault.Error
	switch {
	case errors.Is(err, errUnlinked):
		text, label = "Your account isn't linked to Assent. Sign in there once to link your Slack user; then press the "+
			"button again.", "Link your account"
		if link, err = s.offer(ctx, u); err != nil {
			s.Log.Error("offer a link to a Slack user", "error", err)
			text, link = "Your Slack user could not be linked. Try again later.", ""
		}
	case errors.As(err, &f) && f.Code == fault.Unauthenticated:
		label, link = "Sign in", s.page("/")
	case !errors.As(err, &f):
		s.Log.Error("decide in Slack", "approval", i.Press.Approval, "error", err)
	}
	if i.Type == "view_submission" {
		if f != nil && f.Code == fault.Invalid {
			return answer(slack.Refuse(fieldOf(f, i), text))
		}
		return answer(slack.Tell(text))
	}
	if err := c.Whisper(ctx, i.Channel, i.User.ID, text, label, link); err != nil {
		s.Log.Warn("answer a Slack user", "error", err)
	}
	return nothing
}

// fieldOf is the field of a dialog that an error is about.
func fieldOf(f *fault.Error, i slack.Interaction) string {
	for _, p := range f.Problems {
		for name := range i.Values {
			if p.Path == name || p.Path == "/"+name || p.Path == "/changes/"+name {
				return name
			}
		}
	}
	return "comment"
}

// ask opens the dialog for a reason or for edits.
func (s *Service) ask(ctx context.Context, c *slack.Channel, who app.Who, i slack.Interaction) error {
	v, err := s.App.Approval(ctx, who, i.Press.Approval, true)
	if err != nil {
		return err
	}
	if v.Status != gate.Pending || v.Version != i.Press.Version || !slices.Contains(v.Acts, i.Press.Act) {
		// Deciding reports why it is not possible.
		d := app.Decision{Act: i.Press.Act, Version: i.Press.Version, Comment: "—", Changes: json.RawMessage(`{}`)}
		if v.Status == gate.Pending && v.Version == i.Press.Version {
			return fault.New(fault.Forbidden, "you do not have permission", "")
		}
		_, err := s.App.Decide(ctx, who, i.Press.Approval, d, "", nil)
		return err
	}
	fields := []slack.Field{slack.CommentField(i.Press.Comment)}
	if i.Press.Act == gate.Modify {
		edits, ok := editable(v.Proposed)
		if !ok || v.Masked {
			return fault.New(fault.Unsupported, "this proposal can only be edited in Assent", "open it there")
		}
		fields = append(edits, slack.CommentField(false))
	}
	press := *i.Press
	press.Channel, press.Comment = i.Channel, false
	return c.Ask(ctx, i.Trigger, press, v.Title, fields)
}
