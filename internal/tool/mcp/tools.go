package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// Tool is a server's description of one of its tools.
type Tool struct {
	Name        string
	Title       string
	Description string
	Args        json.RawMessage // JSON Schema
	Output      json.RawMessage // JSON Schema; nil: none
	ReadOnly    bool
	Destructive bool
	Idempotent  bool   // idempotent
	Digest      string // of all of the above; an approval is bound to it
}

// ToolKind is the kind of implementation that a listed tool is.
const ToolKind = "mcp_tool"

// digest covers what people and models see of a tool.
func (t *Tool) digest() string {
	flags := fmt.Sprint(t.ReadOnly, t.Destructive, t.Idempotent)
	return value.Digest([]byte(t.Name), []byte(t.Title), []byte(t.Description), value.Canonical(t.Args),
		value.Canonical(t.Output), []byte(flags))
}

// differs reports whether a call was approved with another version of the tool.
func (t *Tool) differs(server string, approved []gate.Implementation) bool {
	for _, a := range approved {
		if a.Kind == ToolKind && a.Name == server+"/"+t.Name {
			return a.Digest != t.Digest
		}
	}
	return false
}

// again reports whether a call that may have been executed may be repeated.
func (t *Tool) again() bool { return t.ReadOnly || t.Idempotent || !t.Destructive }

// listing is a server's list of tools, as far as it is accepted.
type listing struct {
	of      *session // its session; nil: none is known
	changes int      // of the session, when it was asked for
	at      time.Time
	tools   []*Tool
	byName  map[string]*Tool
}

// fresh reports whether a list is still valid.
func (l *listing) fresh(live *session, now time.Time) bool {
	live.mu.Lock()
	defer live.mu.Unlock()
	return l.of == live && l.changes == live.changes && now.Sub(l.at) < listedFor
}

// Tools lists the server's tools in its own order. The list is fetched again after a change notification.
func (s *Server) Tools(ctx context.Context) ([]*Tool, error) {
	return inNewSession(s, func() ([]*Tool, error) {
		live, err := s.acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer s.release()
		l, err := s.list(ctx, live)
		return l.tools, err
	})
}

// Relist is Tools, without the list of a moment ago: the server has to answer.
func (s *Server) Relist(ctx context.Context) ([]*Tool, error) {
	s.mu.Lock()
	s.listing.at = time.Time{}
	s.mu.Unlock()
	return s.Tools(ctx)
}

// Tool finds one tool. While the server is unreachable, its last list counts.
func (s *Server) Tool(ctx context.Context, name string) (*Tool, bool, error) {
	t, err := inNewSession(s, func() (*Tool, error) {
		live, err := s.acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer s.release()
		t, _, err := s.lookUp(ctx, live, name)
		return t, err
	})
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if t, ok := s.listing.byName[name]; ok {
			return t, true, nil
		}
		return nil, false, err
	}
	return t, t != nil, nil
}

// lookUp finds a tool. Servers that have just been started may add tools once they know the client's
// capabilities, and send a notification: it waits for that briefly.
func (s *Server) lookUp(ctx context.Context, live *session, name string) (*Tool, bool, error) {
	for {
		live.mu.Lock()
		renewed := live.renewed
		live.mu.Unlock()
		l, err := s.list(ctx, live)
		if err != nil {
			return nil, false, err
		}
		t, ok := l.byName[name]
		young := addsWithin - s.pool.o.Now().Sub(live.began)
		if ok || young <= 0 || !live.tellsChanges() {
			return t, ok, nil
		}
		timer := time.NewTimer(min(young, addsWithin))
		select {
		case <-renewed:
			timer.Stop()
		case <-timer.C:
			return nil, false, nil
		case <-live.gone:
			timer.Stop()
			return nil, false, nil
		case <-ctx.Done():
			timer.Stop()
			return nil, false, fmt.Errorf("ask the server %s: %w", s.doc.Name, ctx.Err())
		}
	}
}

// tellsChanges reports whether the server notifies of changes to its tools.
func (l *session) tellsChanges() bool {
	r := l.sdk.InitializeResult()
	return r != nil && r.Capabilities != nil && r.Capabilities.Tools != nil && r.Capabilities.Tools.ListChanged
}

func (s *Server) list(ctx context.Context, live *session) (listing, error) {
	s.mu.Lock()
	known := s.listing
	s.mu.Unlock()
	if known.fresh(live, s.pool.o.Now()) {
		return known, nil
	}
	live.mu.Lock()
	next := listing{of: live, changes: live.changes, at: s.pool.o.Now(), byName: map[string]*Tool{}}
	live.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	seen := &exchange{}
	err := live.do(context.WithValue(limited, exchangeKey{}, seen),
		func(ctx context.Context) error { return next.read(ctx, live.sdk) })
	switch {
	case err != nil && live.forgotten(err, seen):
		return listing{}, errForgotten
	case err != nil:
		return listing{}, live.lost(ctx, limited, err, seen)
	}
	for _, t := range next.tools { // a server may list what it was started with
		t.Title, t.Description = live.veil.Hide(t.Title), live.veil.Hide(t.Description)
		t.Args, t.Output = live.veil.HideJSON(t.Args), live.veil.HideJSON(t.Output)
		t.Digest = t.digest()
	}
	s.mu.Lock()
	s.listing = next
	current := !s.retired
	s.mu.Unlock()
	if told := s.pool.o.Listed; told != nil && current {
		told(s.doc.Name, next.tools)
	}
	return next, nil
}

// read fetches all pages.
func (l *listing) read(ctx context.Context, from *sdk.ClientSession) error {
	cursor, size := "", 0
	for range pagesMax {
		page, err := from.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return err
		}
		for _, t := range page.Tools {
			tool, ok := toolOf(t)
			if !ok || l.byName[tool.Name] != nil {
				continue
			}
			size += len(tool.Args) + len(tool.Output) + len(tool.Description)
			if len(l.tools) == ToolsMax || size > listedMax {
				return nil // the rest is dropped: too many to be useful
			}
			l.tools = append(l.tools, tool)
			l.byName[tool.Name] = tool
		}
		if page.NextCursor == "" || page.NextCursor == cursor {
			return nil
		}
		cursor = page.NextCursor
	}
	return nil
}

// toolOf converts a server's description of a tool, if it is usable.
func toolOf(t *sdk.Tool) (*Tool, bool) {
	if t == nil || t.Name == "" || len(t.Name) > nameMax ||
		strings.ContainsFunc(t.Name, func(r rune) bool {
			return r == unicode.ReplacementChar || !unicode.IsGraphic(r) ||
				r == '*'
		}) {
		return nil, false
	}
	out := &Tool{Name: t.Name, Title: phrase.ClipValid(t.Title, nameMax),
		Description: phrase.ClipValid(t.Description, describedMax)}
	var ok bool
	if out.Args, ok = schemaOf(t.InputSchema); !ok {
		return nil, false
	}
	if out.Output, ok = schemaOf(t.OutputSchema); !ok {
		out.Output = nil
	}
	if a := t.Annotations; a != nil {
		if out.Title == "" {
			out.Title = phrase.ClipValid(a.Title, nameMax)
		}
		// By the protocol, a tool with annotations but without this one is destructive.
		out.ReadOnly, out.Idempotent = a.ReadOnlyHint, a.IdempotentHint
		out.Destructive = !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint) ||
			a.DestructiveHint != nil && *a.DestructiveHint
	}
	return out, true
}

func schemaOf(s any) (json.RawMessage, bool) {
	if s == nil {
		return nil, true
	}
	raw, err := value.Marshal(s)
	if err != nil || len(raw) > schemaMax {
		return nil, false
	}
	if k := value.KindOf(raw); k != value.KindObject {
		return nil, k == value.Null
	}
	return raw, true
}

// Words describes a call, in the server's own words.
func (t *Tool) Words(server string) string {
	if t.Title != "" {
		return fmt.Sprintf("%s (%s)", t.Title, server)
	}
	return fmt.Sprintf("%s (%s)", t.Name, server)
}
