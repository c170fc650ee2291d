package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// TestSecretsStayHidden: a provider repeats what it was sent, wherever it can.
func TestSecretsStayHidden(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		const plain = "swordfish-swordfish"
		echo := theKey + " " + plain + " hunter2-hunter2-hunter2"
		half := len(theKey) / 2
		for name, h := range map[string]http.HandlerFunc{
			"status":   answers(500, strings.Repeat("x", 4080)+echo),
			"message":  answers(401, `{"error":{"message":"bad key `+echo+`"}}`),
			"json":     answers(200, echo),
			"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://"+theKey+".example/", 307) },
			"words": says(d.whole(d.text("you sent "+theKey[:half]), d.text(theKey[half:]+" and "+plain),
				d.text(" "+theKey[:3]))...),
			"args": says(d.whole(d.call(0, "a", "x"), d.args(0, `{\"k\":\"`+theKey[:half]),
				d.args(0, theKey[half:]+`\"}`))...),
			"refusal": says(d.begin, fmt.Sprintf(chunk, `{"refusal":"not with `+echo+`"}`, "null"), d.stop(""), d.end),
			"error":   says(d.begin, "event: error\ndata: {\"error\":{\"message\":\""+echo+"\"}}\n\n"),
			"garbage": says(d.begin, "event: message_delta\ndata: {"+echo+"\n\n"),
		} {
			url := strings.Replace(serve(t, h).URL, "//", "//u:hunter2-hunter2-hunter2@", 1)
			m := d.model(t, url, func(doc *definition.LLM, _ *llm.Options) {
				doc.Headers = map[string]definition.Secret{"X-Plain": secret(t, "Token "+plain)}
			})
			for _, output := range []json.RawMessage{nil, json.RawMessage(`{"type":"object"}`)} {
				tell, all := heard()
				turn, err := m.Think(t.Context(), port.TurnRequest{Output: output}, tell)
				text := all()
				if err != nil {
					text += fmt.Sprintf("%v %+v", err, port.FailureOf(err))
				}
				raw, _ := json.Marshal(turn)
				text += string(raw)
				for _, s := range []string{"sesame", "swordfish", "hunter2"} {
					if strings.Contains(text, s) {
						t.Errorf("%s gives a secret away: %.800s", name, text)
					}
				}
			}
		}
	})
}

// A placeholder is not a secret: an answer may mention it.
func TestPlaceholders(t *testing.T) {
	s := serve(t, says(chat.whole(chat.text("ollama runs models"))...))
	m := chat.model(t, s.URL, func(d *definition.LLM, _ *llm.Options) { d.APIKey = secret(t, "ollama") })
	tell, all := heard()
	turn, err := m.Think(t.Context(), port.TurnRequest{}, tell)
	if err != nil || turn.Text != "ollama runs models" || all() != turn.Text {
		t.Errorf("%+v %v %q", turn, err, all())
	}
}

func TestSecretsThatCannotBeSent(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
		for _, c := range []struct{ key, header, says string }{
			{"${env:MISSING}", "", "MISSING"},
			{"", "${env:MISSING}", "X-Key"},
			{"swordfish\r\nX-Evil: 1", "", "api_key"},
			{"", "swordfish\r\nX-Evil: 1", "X-Key"},
		} {
			_, f := think(t, d.model(t, s.URL, func(doc *definition.LLM, _ *llm.Options) {
				doc.APIKey = secret(t, c.key)
				doc.Headers = map[string]definition.Secret{"X-Key": secret(t, c.header)}
			}), port.TurnRequest{})
			if f.Code != "secret" || f.Transient || !strings.Contains(f.Message, c.says) ||
				strings.Contains(f.Message, "sword") {
				t.Errorf("%+v: %+v", c, f)
			}
		}
	})
}
