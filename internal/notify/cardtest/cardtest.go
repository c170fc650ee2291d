// Package cardtest draws messages of chat programs in a real browser, for tests and for the pictures in the
// documentation. Cards of Microsoft Teams are checked and rendered by what Microsoft publishes on npm: the types of
// cards for Teams, and the parser and renderer of Adaptive Cards. Messages of Slack are drawn by a page of our own.
//
//	b := cardtest.Start(t)
//	shown := b.Card(t, card, cardtest.Look{})
package cardtest

import (
	"embed"
	"encoding/json"
	"testing"

	"github.com/assent-run/assent/internal/nodetest"
)

//go:embed node
var files embed.FS

// Browser draws messages until the test ends.
type Browser struct{ program *nodetest.Program }

// Look is how a message is drawn.
type Look struct {
	Theme   string `json:"theme,omitempty"` // light or dark; empty: light
	Width   int    `json:"width,omitempty"`
	Press   string `json:"press,omitempty"`   // a button that is pressed first
	Picture string `json:"picture,omitempty"` // a file that the picture is written to
	Drawn   bool   `json:"drawn,omitempty"`   // it was checked before
}

// Shown is what a person sees.
type Shown struct {
	Problems []string // why the card is not valid
	Warnings []string // of the renderer and the browser, among them requests to other servers
	Text     string
	Buttons  []string // that are visible
}

// Start starts a browser.
func Start(t testing.TB) *Browser {
	t.Helper()
	b := &Browser{nodetest.Start(t, nodetest.Packages{Name: "cards", Files: files, Dir: "node"}, "render.mjs")}
	var ready struct{ Missing string }
	if err := json.Unmarshal(b.program.Next(t), &ready); err != nil {
		t.Fatal(err)
	}
	if ready.Missing != "" {
		nodetest.Missing(t, "%s", ready.Missing)
	}
	return b
}

// Card checks and draws a card of Teams.
func (b *Browser) Card(t testing.TB, card json.RawMessage, look Look) Shown {
	t.Helper()
	return b.ask(t, struct {
		Look
		Card json.RawMessage `json:"card"`
	}{look, card})
}

func (b *Browser) ask(t testing.TB, question any) (s Shown) {
	t.Helper()
	raw, err := json.Marshal(question)
	if err == nil {
		_, err = b.program.In.Write(append(raw, '\n'))
	}
	if err == nil {
		err = json.Unmarshal(b.program.Next(t), &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}
