package definition

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/definition/tree"
)

// heads are the first keys of documents. A schedule and a trigger have a key workflow, so they come first; an agent of
// kind mcp has a key tool, so tools come last.
var heads = []Kind{KindSchedule, KindTrigger, KindChannel, KindNotifications, KindWorkflow, KindAgent, KindMCPServer,
	KindPolicy, KindRole, KindPrices, KindTool}

// kindOf determines what a document defines. A policy may also begin as in specification 000.
func kindOf(root *tree.Node) (Kind, bool) {
	for _, k := range heads {
		if root.Get(string(k)) != nil {
			return k, true
		}
	}
	for _, key := range []string{"checkpoints", "rules", "auto_approval"} {
		if root.Get(key) != nil {
			return KindPolicy, true
		}
	}
	return "", false
}

// nameOf is the name of a document, whatever else is wrong with it.
func nameOf(root *tree.Node, k Kind) string {
	if n := root.Get(string(k)); n != nil && n.Kind == tree.Text {
		return n.Text
	}
	return ""
}

// forms are the shapes of documents: by kind, and for agents and tools by their own kind after a slash.
var forms = map[string]reflect.Type{
	"workflow":        reflect.TypeFor[plan.Workflow](),
	"mcp_server":      reflect.TypeFor[MCPServer](),
	"policy":          reflect.TypeFor[policy.Document](),
	"role":            reflect.TypeFor[Role](),
	"prices":          reflect.TypeFor[Prices](),
	"schedule":        reflect.TypeFor[Schedule](),
	"notifications":   reflect.TypeFor[Notifications](),
	"channel":         reflect.TypeFor[channelBody](),
	"channel/email":   reflect.TypeFor[emailChannelForm](),
	"channel/slack":   reflect.TypeFor[slackChannelForm](),
	"channel/teams":   reflect.TypeFor[teamsChannelForm](),
	"channel/webhook": reflect.TypeFor[webhookChannelForm](),
	"channel/push":    reflect.TypeFor[channelBody](),
	"agent":           reflect.TypeFor[agentHead](),
	"agent/scripted":  reflect.TypeFor[scriptedForm](),
	"agent/http":      reflect.TypeFor[httpForm](),
	"agent/command":   reflect.TypeFor[commandForm](),
	"agent/llm":       reflect.TypeFor[llmForm](),
	"agent/mcp":       reflect.TypeFor[mcpForm](),
	"agent/go":        reflect.TypeFor[agentHead](),
	"tool":            reflect.TypeFor[toolBody](),
	"tool/http":       reflect.TypeFor[httpToolForm](),
	"tool/command":    reflect.TypeFor[commandToolForm](),
	"tool/builtin":    reflect.TypeFor[builtinToolForm](),
	"trigger":         reflect.TypeFor[Trigger](),
}

// formKeys lists the keys of each form.
var formKeys = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for name, t := range forms {
		out[name] = keysOf(t)
	}
	return out
})

func keysOf(t reflect.Type) []string {
	var out []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// decoder converts the tree of one document into the document.
type decoder struct {
	place    Place
	problems []Problem
}

func (d *decoder) bad(path, format string, args ...any) {
	d.problems = append(d.problems, d.place.bad(path, format, args...))
}

// decode reads a document of a known kind. It is nil if there is a problem.
func decode(place Place, k Kind) (Document, []Problem) {
	d := &decoder{place: place}
	var doc Document
	switch k {
	case KindWorkflow:
		doc = d.workflow()
	case KindAgent:
		doc = d.agent()
	case KindTool:
		doc = d.tool()
	case KindMCPServer:
		doc = d.mcpServer()
	case KindPolicy:
		doc = d.policy()
	case KindRole:
		doc = d.role()
	case KindSchedule:
		doc = d.schedule()
	case KindChannel:
		doc = d.channel()
	case KindNotifications:
		doc = d.notifications()
	case KindTrigger:
		doc = d.trigger()
	default:
		doc = d.prices()
	}
	if len(Errors(d.problems)) > 0 {
		return nil, d.problems
	}
	return doc, d.problems
}

// into reads the document into v, the shape called form, and tells keys of other kinds from unknown keys.
func (d *decoder) into(v any, form string) {
	raw := d.withoutForeign(form).JSON()
	err := plan.Decode(raw, v)
	if err == nil {
		return
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		d.bad("", "%v", err)
		return
	}
	d.problems = append(d.problems, d.place.locateAll(f.Problems)...)
}

// withoutForeign removes the keys of other kinds of documents.
func (d *decoder) withoutForeign(form string) *tree.Node {
	root := *d.place.root
	root.Members = slices.DeleteFunc(slices.Clone(root.Members), func(m tree.Member) bool {
		if slices.Contains(formKeys()[form], m.Key) {
			return false
		}
		owners := ownersOf(m.Key, form)
		if owners == "" {
			return false
		}
		d.bad(m.Key, "%s %q here: it belongs to %s", noKey, m.Key, owners)
		return true
	})
	return &root
}

// ownersOf names the kinds of documents that a key belongs to: those of the same family (agents, tools) if there
// are any, otherwise all.
func ownersOf(key, form string) string {
	family, own, _ := strings.Cut(form, "/")
	var near, far []string
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		kind, of, special := strings.Cut(name, "/")
		if !slices.Contains(formKeys()[name], key) {
			continue
		}
		switch {
		case kind == family && special:
			near = append(near, of)
		case kind != family && !slices.Contains(far, article(kind)):
			far = append(far, article(kind))
		}
	}
	switch {
	case len(near) > 0 && own == "":
		return "" // the kind is unknown, which is reported elsewhere
	case len(near) > 0:
		return fmt.Sprintf("%ss of kind %s, and this one is %s", family, phrase.Or(near), own)
	case len(far) > 0:
		return phrase.Or(far)
	}
	return ""
}

func article(kind string) string {
	switch kind {
	case "agent", "mcp_server":
		return "an " + kind
	case "prices", "notifications":
		return kind
	}
	return "a " + kind
}

// names of agents, tools, servers and roles.
var nameLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`) })

func (d *decoder) name(k Kind, name string) {
	if nameLike().MatchString(name) || len(Errors(d.problems)) > 0 && name == "" {
		return
	}
	if name == "" {
		d.bad(string(k), "the name is missing: use letters, digits, - _ . (at most 64)")
		return
	}
	d.bad(string(k), "%q is not a name: use letters, digits, - _ . (at most 64)", clip(name))
}
