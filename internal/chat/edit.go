package chat

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/slack"
)

// fieldPrefix keeps the names of fields apart from those of a dialog.
const fieldPrefix = "edit_"

// editable are the fields of a proposal that a dialog can show: all of its members, if they are few and simple.
func editable(proposed json.RawMessage) (out []slack.Field, ok bool) {
	if !notify.Editable(proposed) {
		return nil, false
	}
	for name, v := range value.Members(proposed) {
		f := slack.Field{Name: fieldPrefix + strconv.Itoa(len(out)), Label: name}
		switch value.KindOf(v) {
		case value.String:
			f.Value, _ = value.Text(v)
			f.Long, f.Optional = strings.Contains(f.Value, "\n") || len(f.Value) > 80, true
		case value.Number:
			f.Value = string(v)
		case value.Bool:
			f.Value, f.Choices = string(v), []string{"true", "false"}
		}
		out = append(out, f)
	}
	return out, true
}

// changes is what a person edited in a dialog, as a merge patch. Values keep their kind.
func (s *Service) changes(ctx context.Context, who app.Who, i slack.Interaction) (json.RawMessage, error) {
	v, err := s.App.Approval(ctx, who, i.Press.Approval, true)
	if err != nil {
		return nil, err
	}
	fields, _ := editable(v.Proposed)
	patch := map[string]json.RawMessage{}
	for _, f := range fields {
		entered, given := i.Values[f.Name]
		if !given || entered == f.Value {
			continue
		}
		was, _ := value.Get(v.Proposed, f.Label)
		raw := json.RawMessage(strings.TrimSpace(entered))
		if value.KindOf(was) == value.String || !json.Valid(raw) || value.KindOf(raw) != value.KindOf(was) {
			// A text instead of a number is left to the schema.
			if raw, err = json.Marshal(entered); err != nil {
				return nil, err
			}
		}
		patch[f.Label] = raw
	}
	return json.Marshal(patch)
}
