package chat

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Offered is the user that an offer would link.
func (s *Service) Offered(ctx context.Context, secret string) (port.Link, error) {
	return s.Links.OfferedLink(ctx, digest(secret), s.Now())
}

// Take links a user to a signed-in person. Tokens cannot: an agent with a person's token would decide in chat.
func (s *Service) Take(ctx context.Context, who port.Identity, secret string) (port.Link, error) {
	if who.Kind != run.Person || who.Method == port.ByToken || who.Method == port.ByJWT || who.Method == port.ByConsole {
		return port.Link{}, fault.New(fault.Forbidden, "only a person who is signed in can link a user", "sign in")
	}
	all, err := s.Links.LinksOf(ctx, who.Name)
	if err != nil {
		return port.Link{}, err
	}
	if len(all) >= port.LinksMax {
		return port.Link{}, fault.Newf(fault.Conflict, "you have reached the limit of %d links", port.LinksMax)
	}
	return s.Links.TakeLink(ctx, digest(secret), who.Name, s.Now(),
		port.RecordedOf(ctx, func(l port.Link) (string, string, map[string]any) {
			return "link.added", "person/" + l.Person, map[string]any{"link": l.ID, "label": l.Label}
		})...)
}

// Mine lists the links of a person.
func (s *Service) Mine(ctx context.Context, who port.Identity) ([]port.Link, error) {
	if who.Kind != run.Person {
		return nil, nil
	}
	return s.Links.LinksOf(ctx, who.Name)
}

// Remove removes a link of a person; fault.NotFound.
func (s *Service) Remove(ctx context.Context, who port.Identity, id string) (port.Link, error) {
	mine, err := s.Mine(ctx, who)
	if err != nil {
		return port.Link{}, err
	}
	if !slices.ContainsFunc(mine, func(l port.Link) bool { return l.ID == id }) {
		return port.Link{}, fault.New(fault.NotFound, "link not found", "see your links in your account")
	}
	return s.Links.RemoveLink(ctx, id, port.RecordedOf(ctx, func(l port.Link) (string, string, map[string]any) {
		return "link.removed", "person/" + l.Person, map[string]any{"link": l.ID, "label": l.Label}
	})...)
}

// Program is the program of a link.
func Program(id string) gate.Via {
	program, _, _ := strings.Cut(id, "/")
	return gate.Via(program)
}
