package definition

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/definition/tree"
)

// Kind is what a document defines; the word is also its first key.
type Kind string

const (
	KindWorkflow  Kind = "workflow"
	KindAgent     Kind = "agent"
	KindTool      Kind = "tool"
	KindMCPServer Kind = "mcp_server"
	KindPolicy    Kind = "policy"
	KindRole      Kind = "role"
	KindPrices    Kind = "prices"
	KindSchedule  Kind = "schedule"
	KindChannel   Kind = "channel"
	// KindNotifications has one document, called default.
	KindNotifications Kind = "notifications"
	KindTrigger       Kind = "trigger"
)

// Kinds lists them all, in the order an export writes them.
var Kinds = []Kind{KindWorkflow, KindAgent, KindTool, KindMCPServer, KindPolicy, KindRole, KindPrices,
	KindSchedule, KindTrigger, KindChannel, KindNotifications}

// KeepsText reports whether documents of a kind keep their text beside their content. Those that may contain a secret
// do not: it would be hidden in the content and legible in a comment. Prices are one document, however many files they
// come from.
func (k Kind) KeepsText() bool {
	switch k {
	case KindWorkflow, KindPolicy, KindRole, KindSchedule, KindNotifications:
		return true
	}
	return false
}

// Sent is a document to send to a server: as written if that by itself says the same, otherwise as JSON.
func Sent(doc Document) (Format, []byte) {
	if text := []byte(doc.Where().Text()); len(text) > 0 && SameText(doc, text) {
		return YAML, text
	}
	return JSON, doc.JSONWithSecrets()
}

// SameText reports whether a text by itself says the same as a document: not if it refers to other files.
func SameText(doc Document, text []byte) bool {
	same, _ := ParseDocument(YAML, text)
	return same != nil && bytes.Equal(same.JSONWithSecrets(), doc.JSONWithSecrets())
}

// Document is one definition of any kind.
type Document interface {
	// Ident returns the kind and the name. There is one policy and one list of prices, whatever their names.
	Ident() (Kind, string)
	// JSON and YAML write the document as people write it, in a fixed order of keys. Literal secrets are shown
	// as ***; comments are lost.
	JSON() json.RawMessage
	YAML() []byte
	// JSONWithSecrets and YAMLWithSecrets include all secrets, for storing the document.
	JSONWithSecrets() json.RawMessage
	YAMLWithSecrets() []byte
	// Where is the place it was read from.
	Where() Place
}

// Place is where a document begins. It is zero for a document created by a program.
type Place struct {
	File         string
	Line, Column int

	root *tree.Node
	text *string // a pointer: printing the document does not print it
}

// Text is the document as written in YAML, with its comments. It is empty for one written in JSON or created by
// a program, and for kinds that do not keep it.
func (p Place) Text() string {
	if p.text == nil {
		return ""
	}
	return *p.text
}

func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.File == "":
		return "line " + strconv.Itoa(p.Line)
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Workflow is a plan of steps and gates.
type Workflow struct {
	plan.Workflow
	Place Place `json:"-"`
}

// Policy is the rule set of the deployment.
type Policy struct {
	policy.Document
	Place Place `json:"-"`
}

// MCPServer is a server of tools, started by a command or reached at a URL.
type MCPServer struct {
	Name        string             `json:"mcp_server"`
	Command     []string           `json:"command,omitempty"`
	Env         map[string]Secret  `json:"env,omitempty"`
	URL         string             `json:"url,omitempty"`
	Headers     map[string]Secret  `json:"headers,omitempty"`
	Timeout     *quantity.Duration `json:"timeout,omitempty"`
	Description string             `json:"description,omitempty"`
	Place       Place              `json:"-"`
}

// Role defines what its holders may do. Kinds and workflows default to all, permissions and roles to none.
type Role struct {
	Name        string      `json:"role"`
	Description string      `json:"description,omitempty"`
	Kinds       []gate.Kind `json:"kinds,omitzero"`       // of approvals; nil: all
	Workflows   []string    `json:"workflows,omitzero"`   // a name may end in *; nil: all
	Permissions []string    `json:"permissions,omitzero"` // nil: none
	CanActAs    []string    `json:"can_act_as,omitzero"`  // other roles; nil: none
	Place       Place       `json:"-"`
}

// Price is the price of a model in US dollars per million tokens.
type Price struct {
	In    quantity.Money `json:"in_usd_per_mtok"`
	Out   quantity.Money `json:"out_usd_per_mtok"`
	Place Place          `json:"-"`
}

// Prices is a document of prices by model.
type Prices struct {
	Models map[string]Price `json:"prices"`
	Place  Place            `json:"-"`
}

func (w *Workflow) Ident() (Kind, string)      { return KindWorkflow, w.Name }
func (a *Agent) Ident() (Kind, string)         { return KindAgent, a.Name }
func (t *Tool) Ident() (Kind, string)          { return KindTool, t.Name }
func (m *MCPServer) Ident() (Kind, string)     { return KindMCPServer, m.Name }
func (p *Policy) Ident() (Kind, string)        { return KindPolicy, p.Name }
func (r *Role) Ident() (Kind, string)          { return KindRole, r.Name }
func (p *Prices) Ident() (Kind, string)        { return KindPrices, "" }
func (s *Schedule) Ident() (Kind, string)      { return KindSchedule, s.Name }
func (c *Channel) Ident() (Kind, string)       { return KindChannel, c.Name }
func (n *Notifications) Ident() (Kind, string) { return KindNotifications, n.Name }

func (w *Workflow) Where() Place         { return w.Place }
func (a *Agent) Where() Place            { return a.Place }
func (t *Tool) Where() Place             { return t.Place }
func (m *MCPServer) Where() Place        { return m.Place }
func (p *Policy) Where() Place           { return p.Place }
func (r *Role) Where() Place             { return r.Place }
func (p *Prices) Where() Place           { return p.Place }
func (s *Schedule) Where() Place         { return s.Place }
func (c *Channel) Where() Place          { return c.Place }
func (n *Notifications) Where() Place    { return n.Place }
func (t *Trigger) Ident() (Kind, string) { return KindTrigger, t.Name }
func (t *Trigger) Where() Place          { return t.Place }

// Permissions are all permissions of roles. decide includes every act, * everything.
var Permissions = []string{
	"view", "comment", "approve", "modify", "reject", "choose", "submit", "escalate", "request_revision", "delegate",
	"decide", "start", "command", "audit", "sensitive", "admin", "*",
}

// seedPermissions are aliases of some of them.
var seedPermissions = map[string]string{"edit_data": "modify", "request_more_info": "request_revision",
	"add_comments": "comment"}

// Rights are the role's permissions without aliases.
func (r *Role) Rights() []string {
	out := make([]string, len(r.Permissions))
	for i, p := range r.Permissions {
		out[i] = p
		if ours, ok := seedPermissions[p]; ok {
			out[i] = ours
		}
	}
	return out
}
