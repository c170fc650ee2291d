package outbound_test

import (
	"encoding/json"
	"testing"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/outbound"
)

func TestHideJSON(t *testing.T) {
	v := outbound.NewVeil("swordfish", "1234", `a"b\c`)
	for in, want := range map[string]string{
		`{"a":"the swordfish","n":0.10}`: `{"a":"the ***","n":0.10}`,
		`{"swordfish":1}`:                `{"***":1}`,
		`{"a":"a\"b\\c"}`:                `{"a":"***"}`,
		`{"n":123456}`:                   `"{\"n\":***56}"`, // no JSON any more: a text
		`[1E400]`:                        `[1E400]`,
		``:                               ``,
	} {
		got := v.HideJSON(json.RawMessage(in))
		if string(got) != want || in != "" && !value.Valid(got) {
			t.Errorf("%s became %s", in, got)
		}
	}
	if got := (outbound.Veil{}).HideJSON(json.RawMessage(`"swordfish"`)); string(got) != `"swordfish"` {
		t.Errorf("%s", got)
	}
}
