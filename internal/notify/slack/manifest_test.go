package slack_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/definition/tree"
)

// TestManifest: the manifest in the documentation has the scopes that our calls need, and our addresses.
func TestManifest(t *testing.T) {
	page, err := os.ReadFile("../../../docs/channels-slack.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```yaml\n(   display_information:.*?)```").FindSubmatch(page)
	if found == nil {
		t.Fatal("there is no manifest")
	}
	var m struct {
		Features struct {
			Home struct {
				Tab bool `json:"home_tab_enabled"`
			} `json:"app_home"`
		}
		OAuth struct {
			Scopes struct{ Bot []string }
		} `json:"oauth_config"`
		Settings struct {
			Events struct {
				URL  string   `json:"request_url"`
				Bots []string `json:"bot_events"`
			} `json:"event_subscriptions"`
			Interactivity struct {
				Enabled bool   `json:"is_enabled"`
				URL     string `json:"request_url"`
			}
		}
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(found[1]), "   "), "\n   ", "\n")
	read, problems := tree.NewSource("manifest.yaml", []byte(text)).Read(tree.YAML)
	if len(problems) > 0 || len(read) != 1 {
		t.Fatal(problems)
	}
	if err := json.Unmarshal(read[0].Root.JSON(), &m); err != nil {
		t.Fatal(err)
	}
	for _, scope := range []string{"chat:write", "im:write", "im:history", "channels:read", "channels:history",
		"groups:read", "groups:history", "users:read", "users:read.email"} {
		if !slices.Contains(m.OAuth.Scopes.Bot, scope) {
			t.Errorf("%s is missing", scope)
		}
	}
	s := m.Settings
	if !m.Features.Home.Tab || !s.Interactivity.Enabled || !slices.Equal(s.Events.Bots, []string{"app_home_opened"}) ||
		!strings.HasSuffix(s.Events.URL, "/api/v1/integrations/slack/events") ||
		!strings.HasSuffix(s.Interactivity.URL, "/api/v1/integrations/slack/interactions") {
		t.Errorf("%+v", m)
	}
}
