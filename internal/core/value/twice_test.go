package value_test

import (
	"encoding/json"
	"testing"

	"github.com/assent-run/assent/internal/core/value"
)

func TestTwice(t *testing.T) {
	for text, want := range map[string]string{
		`{"amount":1,"to":{"amount":2}}`:         "",
		`[{"a":1},{"a":2}]`:                      "",
		`{"amount":5000,"amount":1}`:             "amount",
		`{"amount":1,"\u0061mount":5000}`:        "amount",
		`{"to":[{"x":{"iban":"1","iban":"2"}}]}`: "iban",
		`"words"`:                                "",
		`{"Amount":1,"amount":2}`:                "",
	} {
		if got, found := value.Twice(json.RawMessage(text)); got != want || found != (want != "") {
			t.Errorf("%s: %q", text, got)
		}
	}
}
