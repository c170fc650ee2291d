package llm

import (
	"strings"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// keyMin is the minimum length of a secret to be redacted in a model's own words. Keys are longer; anything
// shorter is a placeholder such as "ollama", and redacting it would make holes in answers about it.
const keyMin = 12

// secrets are the secrets of one turn, with the veils that redact them.
type secrets struct {
	key     string
	headers map[string]string
	veil    answer.Veil // for failures
	speech  answer.Veil // for the model's words
	words   []string    // that speech redacts
}

// secrets resolves everything.
func (m *Model) secrets() (secrets, error) {
	words := append([]string(nil), m.secret...)
	lookup := m.o.Lookup
	if lookup != nil {
		lookup = func(r definition.Reference) (string, error) {
			found, err := m.o.Lookup(r)
			words = append(words, strings.TrimRight(found, "\r\n"))
			return found, err
		}
	}
	keys, _, err := answer.Expand(map[string]definition.Secret{"api_key": m.d.APIKey}, lookup)
	if err != nil {
		return secrets{}, permanent("secret", err.Error())
	}
	key := keys["api_key"]
	words = append(words, key)
	headers, veil, err := answer.Expand(m.d.Headers, lookup, words...)
	if err != nil {
		return secrets{}, permanent("secret", "header "+err.Error())
	}
	if !sendable(key) {
		return secrets{}, permanent("secret", "api_key: a line end or control character cannot be sent in a header")
	}
	for name, value := range headers {
		if !sendable(value) {
			return secrets{}, permanent("secret", "header "+name+": a line end or control character cannot be sent in a header")
		}
		words = append(words, value, value[strings.LastIndexByte(value, ' ')+1:])
	}
	s := secrets{key: key, headers: headers, veil: veil}
	for _, w := range words {
		if len(w) >= keyMin {
			s.words = append(s.words, w)
		}
	}
	s.speech = answer.NewVeil(s.words...)
	return s, nil
}

func sendable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// doubtful is how many bytes at the end of a text may be the prefix of a secret whose rest is still to come.
func (s *secrets) doubtful(text string) int {
	for n := min(len(text), s.speech.Longest()-1); n > 0; n-- {
		tail := text[len(text)-n:]
		for _, w := range s.words {
			if strings.HasPrefix(w, tail) {
				return n
			}
		}
	}
	return 0
}

func permanent(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}
