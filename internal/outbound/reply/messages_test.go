package reply_test

import (
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/outbound/reply"
)

// Messages to other agents come with an answer; what is none is not guessed at.
func TestMessages(t *testing.T) {
	r, err := reply.Decode([]byte(`{"output":1,"messages":[{"to":"payer","text":"three claims","later":1}]}`),
		outbound.Veil{})
	if err != nil || len(r.Messages) != 1 || r.Messages[0] != (run.Outgoing{To: "payer", Text: "three claims"}) {
		t.Errorf("%+v, %v", r, err)
	}
	one := `{"to":"payer","text":"x"}`
	for _, bad := range []string{`"hello"`, `[{"text":"to nobody"}]`, `[{"to":1}]`, `["payer"]`,
		"[" + strings.Repeat(one+",", 20) + one + "]"} {
		if r, err := reply.Decode([]byte(`{"output":1,"messages":`+bad+`}`), outbound.Veil{}); err == nil {
			t.Errorf("%s: %+v", bad, r)
		}
	}
}
