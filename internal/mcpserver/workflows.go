package mcpserver

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Workflow is a workflow as a caller sees it.
type Workflow struct {
	Name        string          `json:"name"`
	Version     int             `json:"version"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	MayStart    bool            `json:"may_start"`
}

// Workflows is a list of them.
type Workflows struct {
	Items []Workflow `json:"items"`
}

func (c *call) listWorkflows(struct{}) (any, error) {
	items, err := c.workflows()
	return Workflows{items}, err
}

func (c *call) workflows() ([]Workflow, error) {
	all, err := c.app.Documents.Workflows(c, c.Who)
	if err != nil {
		return nil, err
	}
	out := []Workflow{}
	for _, doc := range all.Items {
		w := Workflow{Name: doc.Name, Version: doc.Version, InputSchema: json.RawMessage(`{"type":"object"}`),
			MayStart: c.app.Access.MayStart(c.Who, doc.Name)}
		if raw, ok := value.Get(doc.Definition, "description"); ok {
			w.Description, _ = value.Text(raw) // always a string, if set
		}
		if raw, ok := value.Get(doc.Definition, "input"); ok {
			w.InputSchema = raw
		}
		out = append(out, w)
	}
	return out, nil
}

const (
	workflowPrefix = "workflow_"
	workflowsMost  = 100 // with a tool of their own; start_run starts all
)

// toolName matches names that clients accept for tools.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`) })

// addWorkflows adds a tool for each workflow that the caller may start, with the input as its arguments. Workflows
// whose input is not an object have none.
func (c *call) addWorkflows(out []*sdk.Tool) ([]*sdk.Tool, error) {
	all, err := c.workflows()
	if fault.Is(err, fault.Forbidden) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	added := 0
	for _, w := range all {
		kind, _ := value.Get(w.InputSchema, "type")
		takes, _ := value.Text(kind)
		name := workflowPrefix + w.Name
		if !w.MayStart || takes != "object" || !toolName().MatchString(name) || added == workflowsMost {
			continue
		}
		added++
		words := "Starts a run of the workflow " + w.Name +
			" with these arguments as its input, like start_run, and returns the same form."
		out = append(out, &sdk.Tool{
			Name: name, Annotations: changes("Run "+w.Name, false, false), InputSchema: w.InputSchema,
			Description: strings.TrimSpace(w.Description + "\n" + words),
		})
	}
	return out, nil
}

// ofWorkflow is the tool that starts a workflow.
func ofWorkflow(name string) (tool, bool) {
	workflow, ok := strings.CutPrefix(name, workflowPrefix)
	if !ok || workflow == "" {
		return tool{}, false
	}
	return tool{
		Tool: sdk.Tool{Name: name}, needs: []access.Action{access.Start},
		do: func(c *call, input json.RawMessage) (any, error) {
			return c.begin(app.NewRun{Workflow: workflow, Input: input}, "", defaultWait)
		},
	}, true
}
