package sim

import (
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/run"
)

// describe describes a command in words.
func describe(c run.Command) string {
	name := kindOf(c)
	id := ""
	if c.ID != "" {
		id = " (" + c.ID + ")"
	}
	switch d := c.Do.(type) {
	case run.Decide:
		a := d.Answer
		return fmt.Sprintf("%s %s%s%s%s%s at version %d%s", a.Act, d.Approval, words(" option ", a.Option),
			words(" changes ", string(a.Changes)),
			words(" data ", string(a.Data)), words(" to ", a.To), a.Version, id)
	case run.Complete:
		return fmt.Sprintf("%s is done: %s", d.Key, short(d.Result.Output))
	case run.Fail:
		return fmt.Sprintf("%s failed: %s", d.Key, d.Failure.Message)
	case run.CompleteTurn:
		return fmt.Sprintf("%s: %s", d.Key, short(mustJSON(d.Turn)))
	case run.CompleteCall:
		return fmt.Sprintf("%s: %s", d.Key, short(mustJSON(d.Result)))
	}
	return fmt.Sprintf("%s %s%s", name, short(mustJSON(c.Do)), id)
}

func words(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// kindOf is the name of a command.
func kindOf(c run.Command) string {
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", c.Do), "run."))
}
