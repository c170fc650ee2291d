package push

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify"
)

// FuzzPayload: a push message offers no decision and contains no detail of what is decided on, whatever it is; it is
// small, and leads to a page of this server.
func FuzzPayload(f *testing.F) {
	f.Add("Refund", "Waiting", "https://assent.example.com/approvals/apr_1", "secret-detail")
	f.Add("\u202e", "\x00", "javascript:alert(1)", "x")
	f.Fuzz(func(t *testing.T, title, text, open, detail string) {
		raw, err := payloadOf(notify.Message{Key: "k", Event: notify.ApprovalNeeded, Approval: "apr_1", Title: title,
			Text: text,
			Open: open, Details: []notify.Detail{{Label: "amount", Text: "detail-" + detail}},
			Acts: []notify.Act{{Act: gate.Approve, Label: "Approve"}}})
		if err != nil {
			t.Fatal(err)
		}
		var p payload
		strict := json.NewDecoder(bytes.NewReader(raw))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&p); err != nil || len(raw) > 3000 || len(p.Open) == 0 || p.Open[0] != '/' {
			t.Fatalf("%v: %d bytes: %s", err, len(raw), raw)
		}
		if bytes.Contains(raw, []byte("detail-")) && !bytes.Contains([]byte(title+text+open), []byte("detail-")) {
			t.Fatalf("a detail: %s", raw)
		}
		if (&Channel{}).Room().Acts {
			t.Fatal("push messages offer no decisions")
		}
	})
}
