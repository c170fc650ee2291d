package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
)

func TestCheckNotify(t *testing.T) {
	for text, want := range map[string]string{
		``:                                      "",
		`null`:                                  "",
		`{}`:                                    "",
		`{"channels":null}`:                     "",
		`{"channels":"teams"}`:                  "",
		`{"channels":["teams","email"]}`:        "",
		`{"channels":"fax-1"}`:                  "",
		`{"channels":["fa x"]}`:                 "gate.notify.channels",
		`{"channels":["teams","f/x","te,ex"]}`:  "gate.notify.channels[1] gate.notify.channels[2]",
		`{"recipients":["a@b.example","#ops"]}`: "",
		`{"recipients":["a\nb"]}`:               "gate.notify.recipients",
		`{"recipients":["a",""]}`:               "gate.notify.recipients[1]",
		`{"recipients":7}`:                      "gate.notify",
		`{"only":true,"urgency":"high"}`:        "",
		`{"only":"yes"}`:                        "gate.notify.only",
		`{"urgency":"loud"}`:                    "gate.notify.urgency",
		`{"cc":["ann"]}`:                        "gate.notify.cc",
		`"teams"`:                               "gate.notify",
		`["teams"]`:                             "gate.notify",
		`{"channels":{"teams":true}}`:           "gate.notify",
		`{"channels":[1]}`:                      "gate.notify",
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

func TestNamesAreCutBetweenCharacters(t *testing.T) {
	long := "x" + strings.Repeat("ü", 80)
	for _, p := range append(gate.CheckChannels("channels", []string{long}),
		gate.CheckNotify("notify", json.RawMessage(`{"`+long+`":1}`))...) {
		if strings.Contains(p.Message, `\x`) || !strings.Contains(p.Message, "ü…") {
			t.Errorf("%s", p.Message)
		}
	}
}
