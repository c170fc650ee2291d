package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
)

func TestCheckNotify(t *testing.T) {
	for text, want := range map[string]string{
		``:                                     "",
		`null`:                                 "",
		`{}`:                                   "",
		`{"channels":null}`:                    "",
		`{"channels":"teams"}`:                 "",
		`{"channels":["teams","email"]}`:       "",
		`{"channels":"fax"}`:                   "gate.notify.channels",
		`{"channels":["fax"]}`:                 "gate.notify.channels",
		`{"channels":["teams","fax","telex"]}`: "gate.notify.channels[1] gate.notify.channels[2]",
		`"teams"`:                              "gate.notify",
		`["teams"]`:                            "gate.notify",
		`{"channels":{"teams":true}}`:          "gate.notify",
		`{"channels":[1]}`:                     "gate.notify",
	} {
		var paths []string
		for _, p := range gate.CheckNotify("gate.notify", json.RawMessage(text)) {
			paths = append(paths, p.Path)
			if p.Message == "" {
				t.Errorf("%s: %s without a message", text, p.Path)
			}
		}
		if got := strings.Join(paths, " "); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
