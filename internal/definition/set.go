package definition

import (
	"fmt"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/plan"
)

// Set is a collection of definitions, by name.
type Set struct {
	Workflows  map[string]*Workflow
	Agents     map[string]*Agent
	Tools      map[string]*Tool
	MCPServers map[string]*MCPServer
	Policy     *Policy
	Roles      map[string]*Role
	Prices     map[string]Price // by model
	Schedules  map[string]*Schedule
	Triggers   map[string]*Trigger
	Channels   map[string]*Channel
	// Notifications are the default channels of each event; nil: see package notify.
	Notifications *Notifications
	Files         []File // in the order they were read

	// Listed finds a tool of an MCP server in the list that the server sent last; known is false if it has sent
	// none. It may be nil.
	Listed func(server, tool string) (t plan.Tool, found, known bool)

	// Withdrawn are roles that were in force once. They grant nothing.
	Withdrawn []string

	// broken are documents of which only the names could be read, so references to them are valid.
	broken  map[Kind]map[string]Place
	partial []partial
}

// File is one file that was read.
type File struct {
	Name      string `json:"name"`
	Size      int    `json:"size"`
	Documents int    `json:"documents"`
}

// NewSet returns an empty set.
func NewSet() *Set {
	return &Set{
		Workflows: map[string]*Workflow{}, Agents: map[string]*Agent{}, Tools: map[string]*Tool{},
		MCPServers: map[string]*MCPServer{}, Roles: map[string]*Role{}, Prices: map[string]Price{},
		Schedules: map[string]*Schedule{}, Triggers: map[string]*Trigger{}, Channels: map[string]*Channel{},
		broken: map[Kind]map[string]Place{},
	}
}

// Add adds a document to the set. If its name is taken, the first one is kept, and the problem names both places.
func (s *Set) Add(d Document) []Problem {
	switch d := d.(type) {
	case *Workflow:
		return add(s.Workflows, d.Name, d)
	case *Agent:
		return add(s.Agents, d.Name, d)
	case *Tool:
		return add(s.Tools, d.Name, d)
	case *MCPServer:
		return add(s.MCPServers, d.Name, d)
	case *Role:
		return add(s.Roles, d.Name, d)
	case *Policy:
		if s.Policy != nil {
			return []Problem{d.Place.bad("policy",
				"there is one policy, and it is in %s already: merge the rules", s.Policy.Place)}
		}
		s.Policy = d
	case *Prices:
		return s.addPrices(d)
	case *Schedule:
		return add(s.Schedules, d.Name, d)
	case *Channel:
		return add(s.Channels, d.Name, d)
	case *Notifications:
		if s.Notifications != nil {
			return []Problem{d.Place.bad("notifications",
				"there is one document of this kind, and it is in %s already", s.Notifications.Place)}
		}
		s.Notifications = d
	case *Trigger:
		return add(s.Triggers, d.Name, d)
	}
	return nil
}

func add[D Document](in map[string]D, name string, d D) []Problem {
	if first, taken := in[name]; taken {
		k, _ := d.Ident()
		return []Problem{d.Where().bad(string(k), "the %s %q is defined twice: the other is in %s", k,
			clip(name), first.Where())}
	}
	in[name] = d
	return nil
}

func (s *Set) addPrices(d *Prices) []Problem {
	var out []Problem
	for _, model := range slices.Sorted(maps.Keys(d.Models)) {
		price := d.Models[model]
		if first, taken := s.Prices[model]; taken {
			out = append(out, price.Place.bad("prices."+model, "the price of %q is given twice: the other is in %s",
				clip(model), first.Place))
			continue
		}
		s.Prices[model] = price
	}
	return out
}

// breaks records a document that could not be read.
func (s *Set) breaks(k Kind, name string, at Place) {
	if s.broken[k] == nil {
		s.broken[k] = map[string]Place{}
	}
	s.broken[k][name] = at
}

// Merge adds everything from another set. Duplicate names are problems, and this set's documents are kept.
func (s *Set) Merge(other *Set) []Problem {
	var out []Problem
	for _, d := range other.Documents() {
		out = append(out, s.Add(d)...)
	}
	for k, names := range other.broken {
		for name, at := range names {
			s.breaks(k, name, at)
		}
	}
	s.partial = append(s.partial, other.partial...)
	s.Files = append(s.Files, other.Files...)
	return arrange(out)
}

// Documents lists everything by kind and name.
func (s *Set) Documents() []Document {
	var out []Document
	out = appendSorted(out, s.Workflows)
	out = appendSorted(out, s.Agents)
	out = appendSorted(out, s.Tools)
	out = appendSorted(out, s.MCPServers)
	if s.Policy != nil {
		out = append(out, s.Policy)
	}
	out = appendSorted(out, s.Roles)
	if len(s.Prices) > 0 {
		out = append(out, s.prices())
	}
	out = appendSorted(appendSorted(appendSorted(out, s.Schedules), s.Triggers), s.Channels)
	if s.Notifications != nil {
		out = append(out, s.Notifications)
	}
	return out
}

// prices combines all prices in one document.
func (s *Set) prices() *Prices { return &Prices{Models: maps.Clone(s.Prices)} }

func appendSorted[D Document](out []Document, in map[string]D) []Document {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		out = append(out, in[name])
	}
	return out
}

// Get finds a document by kind and name.
func (s *Set) Get(k Kind, name string) (Document, bool) {
	var d Document
	var ok bool
	switch k {
	case KindWorkflow:
		d, ok = s.Workflows[name]
	case KindAgent:
		d, ok = s.Agents[name]
	case KindTool:
		d, ok = s.Tools[name]
	case KindMCPServer:
		d, ok = s.MCPServers[name]
	case KindRole:
		d, ok = s.Roles[name]
	case KindSchedule:
		d, ok = s.Schedules[name]
	case KindChannel:
		d, ok = s.Channels[name]
	case KindNotifications:
		d, ok = s.Notifications, s.Notifications != nil
	case KindTrigger:
		d, ok = s.Triggers[name]
	case KindPolicy:
		d, ok = s.Policy, s.Policy != nil
	case KindPrices:
		d, ok = s.prices(), len(s.Prices) > 0
	}
	return d, ok
}

// YAML writes all documents into one file, separated by ---.
func (s *Set) YAML() []byte { return s.write(Document.YAML) }

// YAMLWithSecrets is YAML including all secrets.
func (s *Set) YAMLWithSecrets() []byte { return s.write(Document.YAMLWithSecrets) }

func (s *Set) write(each func(Document) []byte) []byte {
	var out []byte
	for i, d := range s.Documents() {
		if i > 0 {
			out = fmt.Appendln(out, "---")
		}
		out = append(out, each(d)...)
	}
	return out
}
