package app

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Command is what somebody wants of a run. The same ID is the same command.
type Command struct {
	ID string
	Do run.Doing
}

// commands are what people may ask of a run, by the word they use for it.
var commands = map[string]func(json.RawMessage) (run.Doing, error){
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

// CommandTypes lists them all.
func CommandTypes() []string { return slices.Sorted(maps.Keys(commands)) }

// ParseCommand reads {"type": "cancel", "id": "…", "reason": "…"}.
func ParseCommand(raw json.RawMessage) (Command, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return Command{}, fault.New(fault.Invalid, "a command is a JSON object", `for example {"type": "cancel", "reason": "…"}`)
	}
	var c Command
	var kind string
	for name, to := range map[string]*string{"type": &kind, "id": &c.ID} {
		if v, ok := members[name]; ok {
			if err := json.Unmarshal(v, to); err != nil {
				return c, fault.Of("the command is not valid", []fault.Problem{{Path: name, Message: "this is not a text"}})
			}
		}
		delete(members, name)
	}
	parse := commands[kind]
	if parse == nil {
		return c, fault.Of("the command is not valid", []fault.Problem{{Path: "type", Message: "expected one of " + strings.Join(CommandTypes(), ", ")}})
	}
	rest, err := json.Marshal(members)
	if err == nil {
		c.Do, err = parse(rest)
	}
	return c, err
}

func read[T run.Doing](raw json.RawMessage) (run.Doing, error) {
	var v T
	err := strictly(raw, &v)
	return v, err
}

// readInject leaves it to the server which agents a plan may get to know.
func readInject(raw json.RawMessage) (run.Doing, error) {
	var v struct {
		Steps []plan.Step `json:"steps"`
	}
	err := strictly(raw, &v)
	return run.InjectSteps{Steps: v.Steps}, err
}

// agentsFor gives injected steps the agents in force that they name.
func (a *App) agentsFor(do run.Doing) (run.Doing, error) {
	inject, ok := do.(run.InjectSteps)
	if !ok {
		return do, nil
	}
	inject.Agents = a.registry.now().bind(&plan.Workflow{Steps: inject.Steps}, 0).Agents
	return inject, nil
}
