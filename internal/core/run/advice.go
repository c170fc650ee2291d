package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// CodeInvalidAnswer is the code of an answer of the agent in the loop that cannot be used.
const CodeInvalidAnswer = "invalid_answer"

// commanding are members of commands and decisions. Other members that advice does not have are ignored.
var commanding = []string{
	"approval", "approve", "changes", "command", "commands", "decision", "edit_steps", "inject_steps", "modify_args",
	"outcome", "skip", "skip_layer", "skip_step", "skip_steps", "step", "steps", "tool", "tools",
}

// Commanding is the first member of an answer that advice cannot have because it would be a command; empty: none.
func Commanding(answer json.RawMessage) string {
	for key := range value.Members(answer) {
		if slices.Contains(commanding, strings.ToLower(key)) {
			return key
		}
	}
	return ""
}

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
