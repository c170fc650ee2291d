package run

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// Unusable is what is wrong with the advice; empty: nothing.
func (a AdviceRaw) Unusable() string {
	switch {
	case len(a.Requirement) > TextMax || len(a.Reasoning) > TextMax:
		return "the answer is too long"
	case a.Action == AdviceContinue, a.Action == AdviceAbort, a.Action == AdviceAsk:
	case a.Action != AdviceReplan:
		return fmt.Sprintf("%q is not one of continue, replan, abort and ask", phrase.Clip(string(a.Action), 40))
	case strings.TrimSpace(a.Requirement) == "":
		return "replan needs a requirement"
	}
	return ""
}

// OrNull keeps what is not JSON out of the log.
func OrNull(raw json.RawMessage) json.RawMessage {
	if doc, err := value.Strict(raw); err == nil {
		return doc
	}
	return json.RawMessage("null")
}
