package risk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/quantity"
)

// Milestone is the tool by which an agent reports the end of a phase. Under approve_milestones its calls need
// approval.
const Milestone = "milestone"

// Tool is what is known about a tool before it is called. Everything but the name may be empty.
type Tool struct {
	Name        string
	Class       Class  // as declared in its file
	Operation   string // as declared in its file: read, send_email, …
	ReadOnly    bool   // hint by an MCP server
	Destructive bool   // hint by an MCP server
	CostUSD     quantity.Money
}

// Classify returns the tool's own class, or else the default for its kind:
// reads and writes to the agent's own notes are safe; writes to the outside,
// to files and to databases, paid services and everything unknown need
// approval.
func Classify(t Tool) Class {
	c, _ := judge(t)
	return c
}

// Ask decides whether a call of t needs approval. The agent's settings for the tool take precedence over the
// tool's own declaration and over the agent's autonomy: a tool that needs approval asks under full as well. A
// critical tool always asks, and no setting of an agent lowers that. The level and the reasons, in words for
// people, are returned either way.
func Ask(a Autonomy, t Tool, overrides map[string]Class) (ask bool, level Level, reasons []string) {
	class, reasons := judge(t)
	over, given := Override(overrides, t.Name)
	if given && (class != Class(Critical) || over == class) {
		class, reasons = declared(over, t.Name, " in the agent's settings")
	}
	level = class.Level()
	switch a = a.OrDefault(); {
	case a == ApproveAll:
		return true, level, append(reasons, "this agent needs approval for every call")
	case level == Critical && !mutant.Is(mutant.CriticalIgnored),
		given && class.Asks() && !mutant.Is(mutant.OverrideIgnored):
		return true, level, reasons
	case a == ApproveMilestones && t.Name == Milestone:
		return true, level, []string{"the agent reports a milestone"}
	}
	return a == ApproveHighRisk && class.Asks(), level, reasons
}

// Rules are the rules for the calls of one agent.
type Rules struct {
	Autonomy  Autonomy
	Overrides map[string]Class
}

// Strictest is Ask under the rules of several agents: the one that acts and those that handed off to it. It
// asks if any of them would, and the highest level counts.
func Strictest(t Tool, all ...Rules) (ask bool, level Level, reasons []string) {
	for _, r := range all {
		asks, l, why := Ask(r.Autonomy, t, r.Overrides)
		if asks && !ask || asks == ask && l.Rank() > level.Rank() {
			reasons = why
		}
		ask = ask || asks
		if l.Rank() > level.Rank() {
			level = l
		}
	}
	return ask, level, reasons
}

// Override finds an agent's setting for a tool: under exactly its name, or else under mcp:SERVER/* for all
// tools of a server. A name in a different spelling is a different tool.
func Override(overrides map[string]Class, tool string) (c Class, given bool) {
	if c, given = overrides[tool]; given {
		return c, true
	}
	if server, _, ok := strings.Cut(tool, "/"); ok && strings.HasPrefix(server, "mcp:") {
		c, given = overrides[server+"/*"]
	}
	return c, given
}

// declared returns a class that people wrote for a tool, in the tool's own file unless where says otherwise.
func declared(c Class, tool, where string) (Class, []string) {
	tool = cmp.Or(tool, "the tool")
	switch {
	case !c.Valid():
		return ApprovalRequired, []string{fmt.Sprintf("%s is declared %q%s, which is not a risk class",
			tool, string(c), where)}
	case c == ApprovalRequired:
		return c, []string{tool + " is declared to need approval" + where}
	case c == Safe:
		return c, []string{tool + " is declared safe" + where}
	}
	return c, []string{fmt.Sprintf("%s is declared %s risk%s", tool, c, where)}
}

// judge checks the signs of danger first and those of harmlessness last, so that danger wins if they
// contradict each other.
func judge(t Tool) (Class, []string) {
	if t.Class != "" {
		return declared(t.Class, t.Name, "")
	}
	var why []string
	if t.CostUSD > 0 {
		why = append(why, "costs "+dollars(t.CostUSD)+" USD")
	}
	if t.Destructive {
		why = append(why, "declared destructive by its server")
	}
	op, opWhy := byOperation(t.Operation)
	name, nameWhy := byName(t.Name)
	if op == ApprovalRequired {
		why = append(why, opWhy)
	}
	// People chose the operation's word, so a name counts only without one.
	if op == "" && name == ApprovalRequired {
		why = append(why, nameWhy)
	}
	switch {
	case len(why) > 0:
		return ApprovalRequired, why
	case op == Safe:
		return Safe, []string{opWhy}
	case t.ReadOnly:
		return Safe, []string{"declared read-only by its server"}
	case name == Safe:
		return Safe, []string{nameWhy}
	}
	return ApprovalRequired, []string{cmp.Or(t.Name, "the tool") + " declares neither a risk nor an operation"}
}

// Harmless reports whether the declarations show that a call changes nothing: a class of safe or low together
// with an operation that reads. A name or a server's hint proves nothing.
func Harmless(c Class, operation string) bool {
	class, why := byOperation(operation)
	return c.Level() == Low && class == Safe && why == onlyReads
}

const onlyReads = "read-only"

func dollars(m quantity.Money) string {
	s := m.String()
	whole, cents, ok := strings.Cut(s, ".")
	if !ok {
		return whole + ".00"
	}
	if len(cents) == 1 {
		return whole + "." + cents + "0"
	}
	return s
}

// Verbs in names and operations. Nouns are omitted: reading an email is not sending one.
var (
	reading = words("read get list search query find lookup fetch view show describe count inspect stat head peek browse")
	keeping = words("update create add append save set store remember note record write")
	notes   = words("memory deliverable scratchpad")

	sending = words("send post reply publish invite notify tweet dial submit upload push merge deploy trigger")
	writing = words("write create update edit modify patch put set save rename move copy append replace import sync " +
		"enable disable grant revoke assign")
	deleting = words("delete remove drop truncate purge destroy erase wipe kill terminate cancel reset revert unlink rm")
	paying   = words("pay charge refund transfer purchase buy financial crunchbase clearbit enrich")
	storing  = words("insert upsert sql migrate")
	running  = words("run execute exec eval shell bash command script invoke request")
)

func words(s string) []string { return strings.Fields(s) }

// risky pairs words with their explanation for people, the most severe first.
var risky = []struct {
	words []string
	why   string
}{
	{paying, "moves money or uses a paid service"},
	{deleting, "deletes data"},
	{storing, "writes to a database"},
	{running, "runs commands or code"},
	{sending, "sends or publishes data to others"},
	{writing, "changes data"},
}

// byOperation evaluates the operation declared in a tool's file. An unknown word means nothing.
func byOperation(op string) (Class, string) {
	parts := split(op)
	switch {
	case len(parts) == 0:
		return "", ""
	case slices.Equal(parts, []string{"internal", "write"}):
		return Safe, "writes only to the agent's own notes"
	}
	if c, why := dangerous(parts); c != "" {
		return c, why
	}
	if slices.Contains(reading, parts[0]) {
		return Safe, onlyReads
	}
	return ApprovalRequired, "operation " + op + " is not known to be safe"
}

// byName guesses from the name. A server's name before / or : is not a verb, so only what follows it may make
// a tool safe.
func byName(name string) (Class, string) {
	tool := name[strings.LastIndexAny(name, "/:")+1:]
	parts := split(tool)
	if len(parts) == 0 {
		return "", ""
	}
	first, last := parts[0], parts[len(parts)-1]
	if name == Milestone || tool == name && slices.Contains(notes, last) && slices.Contains(keeping, first) {
		return Safe, "writes only to the agent's own notes"
	}
	if c, why := dangerous(split(name)); c != "" {
		return c, why
	}
	if slices.Contains(reading, first) || slices.Contains(reading, last) {
		return Safe, onlyReads
	}
	return "", ""
}

func dangerous(parts []string) (Class, string) {
	for _, r := range risky {
		for _, p := range parts {
			if slices.Contains(r.words, p) {
				return ApprovalRequired, r.why
			}
		}
	}
	return "", ""
}

// split splits a name into lower-case words: at _ . : / - and spaces, and between a lower-case and an
// upper-case letter.
func split(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		switch {
		case strings.ContainsRune("_.:/- ", r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && small:
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	return strings.Fields(b.String())
}
