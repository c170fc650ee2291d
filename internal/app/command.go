package app

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Command is a request to a run. The same ID is the same command.
type Command struct {
	ID string
	Do run.Operation
}

// commands parses each type of command to a run.
var commands = map[string]func(json.RawMessage) (run.Operation, error){
	"cancel":       read[run.Cancel],
	"abort":        read[run.Abort],
	"pause":        read[run.Pause],
	"resume":       read[run.Resume],
	"inject_steps": readInject,
	"replan":       read[run.Replan],
	"skip_step":    read[run.SkipStep],
	"modify_args":  read[run.ModifyArgs],
	"message":      read[run.SendMessage],
	"consult":      read[run.Consult],
	"snapshot":     read[run.TakeSnapshot],
}

// actionOf is the permission that a command needs: the owner of a run has some of them.
func actionOf(do run.Operation) access.Action {
	switch do := do.(type) {
	case run.Pause:
		return access.Pause
	case run.Resume:
		if do.Limits != (run.LimitAmount{}) {
			return access.Raise
		}
		return access.Resume
	case run.Cancel:
		return access.Cancel
	}
	return access.Steer
}

// CommandTypes lists all types of commands.
func CommandTypes() []string { return slices.Sorted(maps.Keys(commands)) }

// ParseCommand reads {"type": "cancel", "id": "…", "reason": "…"}.
func ParseCommand(raw json.RawMessage) (Command, error) {
	if value.KindOf(raw) != value.KindObject || !value.Valid(raw) {
		return Command{}, fault.New(fault.Invalid, "a command must be a JSON object",
			`for example {"type": "cancel", "reason": "…"}`)
	}
	if _, err := value.Strict(raw); err != nil {
		return Command{}, err
	}
	var c Command
	var kind string
	var rest []value.Member
	seen := map[string]bool{}
	for name, v := range value.Members(raw) {
		to := map[string]*string{"type": &kind, "id": &c.ID}[name]
		switch text, ok := value.Text(v); {
		case to == nil:
			rest = append(rest, value.Member{Key: name, Value: v})
		case seen[name]:
			return c, notACommand(name, "duplicate key: keep one")
		case !ok:
			return c, notACommand(name, "must be a string")
		default:
			*to = text
		}
		seen[name] = true
	}
	parse := commands[kind]
	if parse == nil {
		return c, notACommand("type", "expected one of "+strings.Join(CommandTypes(), ", "))
	}
	body := value.Object(rest...)
	for _, name := range needed[kind] {
		if v, _ := value.Get(body, name); value.KindOf(v) == value.Missing || value.KindOf(v) == value.Null {
			return c, notACommand(name, "is required")
		}
	}
	do, err := parse(body)
	c.Do = do
	return c, err
}

// needed lists the required members of each command; null counts as missing.
var needed = map[string][]string{
	"inject_steps": {"steps"}, "modify_args": {"changes"}, "replan": {"requirement"}, "message": {"text"},
}

func notACommand(path, message string) error {
	return fault.Of("the command is not valid", []fault.Problem{{Path: path, Message: message}})
}

func read[T run.Operation](raw json.RawMessage) (run.Operation, error) {
	var v T
	err := strictly(raw, &v)
	return v, err
}

// readInject leaves it to the server which agents a plan may use.
func readInject(raw json.RawMessage) (run.Operation, error) {
	var v struct {
		Steps []plan.Step `json:"steps"`
	}
	err := strictly(raw, &v)
	return run.InjectSteps{Steps: v.Steps}, err
}

// agentsFor adds to injected steps the agents in force that they name.
func (a *App) agentsFor(do run.Operation) (run.Operation, error) {
	inject, ok := do.(run.InjectSteps)
	if !ok {
		return do, nil
	}
	inject.Agents = a.registry.Current().Bind(&plan.Workflow{Steps: inject.Steps}, 0).Agents
	return inject, nil
}
