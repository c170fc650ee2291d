package mcpserver

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Asked is a pending decision, with enough information to tell people about it.
type Asked struct {
	ID          string          `json:"approval"`
	Run         string          `json:"run"`
	Workflow    string          `json:"workflow"`
	Step        string          `json:"step,omitempty"`
	Kind        gate.Kind       `json:"kind"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	Proposed    json.RawMessage `json:"proposed"`
	Show        json.RawMessage `json:"show,omitempty"`
	Options     []gate.Option   `json:"options,omitempty"`
	Risk        gate.Risk       `json:"risk"`
	Asked       []string        `json:"asked"` // names and role:NAME; none: everyone who may decide
	DeadlineAt  *time.Time      `json:"deadline_at"`
	OnTimeout   gate.Then       `json:"on_timeout,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"` // the answer at the deadline
	Version     int             `json:"version"`
	Acts        []gate.Act      `json:"acts"` // available to the caller
	Masked      bool            `json:"masked,omitempty"`
	URL         string          `json:"url,omitempty"` // where people decide
}

// Approvals is a page of them.
type Approvals struct {
	Items []Asked `json:"items"`
	Next  string  `json:"next_cursor,omitempty"`
}

// Approval is an approval with all details.
type Approval struct {
	view.Approval
	URL string `json:"url,omitempty"`
}

var pending = []string{string(gate.Pending)}

const (
	defaultPage = 50
	pageMost    = 200
)

func (c *call) ask(v view.Approval) Asked {
	asked := []string{}
	if v.Role != "" {
		asked = append(asked, "role:"+v.Role)
	}
	asked = slices.Concat(asked, v.Assignees, v.EscalatedTo)
	return Asked{
		ID: v.ID, Run: v.Run, Workflow: v.Workflow, Step: v.Step, Kind: v.Kind, Title: v.Title, Description: v.Description,
		Proposed: v.Proposed, Show: v.Show,
		Options: v.Options, Risk: v.Risk, Asked: asked, DeadlineAt: v.DeadlineAt, OnTimeout: v.OnTimeout, Default: v.Default,
		Version: v.Version, Acts: v.Acts,
		Masked: v.Masked, URL: c.link("approvals", v.ID),
	}
}

type listing struct {
	Mine     bool   `json:"mine"`
	Workflow string `json:"workflow"`
	Run      string `json:"run"`
	Limit    *int   `json:"limit"`
	Cursor   string `json:"cursor"`
}

func (c *call) listApprovals(a listing) (any, error) {
	q := port.ApprovalQuery{Status: pending, Workflow: a.Workflow, Run: a.Run, Sort: port.ByPriority, Limit: defaultPage,
		Cursor: a.Cursor, NoTotal: true}
	if a.Limit != nil {
		if q.Limit = *a.Limit; q.Limit < 1 || q.Limit > pageMost {
			return nil, invalid("limit", "expected 1 to 200")
		}
	}
	list := c.app.Lists(c.Who).Approvals
	if a.Mine {
		list = c.app.Lists(c.Who).Mine
	}
	page, err := list(c, q)
	out := Approvals{Items: []Asked{}, Next: page.Next}
	for _, v := range page.Items {
		out.Items = append(out.Items, c.ask(v))
	}
	return out, err
}

type showing struct {
	Approval string `json:"approval"`
	Full     bool   `json:"full"`
}

func (c *call) getApproval(a showing) (any, error) {
	v, err := c.app.Approval(c, c.Who, a.Approval, a.Full)
	return Approval{v, c.link("approvals", v.ID)}, err
}

type choosing struct {
	Approval string `json:"approval"`
	app.Decision
}

// decide derives the id of a decision from its content, so a repeated decision takes effect once.
func (c *call) decide(a choosing) (any, error) {
	raw, err := value.Marshal(a)
	if err != nil {
		return nil, err
	}
	ctx, done := c.whole()
	defer done()
	v, err := c.app.Decide(ctx, c.Who, a.Approval, a.Decision, value.Digest([]byte("mcp"), raw), nil)
	return Approval{v, c.link("approvals", v.ID)}, err
}

type remarking struct {
	Approval string `json:"approval"`
	Text     string `json:"text"`
}

func (c *call) comment(a remarking) (any, error) {
	ctx, done := c.whole()
	defer done()
	v, err := c.app.Comment(ctx, c.Who, a.Approval, a.Text, "", nil)
	return Approval{v, c.link("approvals", v.ID)}, err
}
