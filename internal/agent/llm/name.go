package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/port"
)

// nameMax is the maximum length of a tool's name for both providers, which accept letters, digits, _ and -
// only.
const nameMax = 64

// names maps tools to their names on the wire: mcp:files/read is mcp_files_read. If two would collide, all
// but a name that needs no change get a suffix of their digest.
type names struct{ out, in map[string]string }

// namesOf names all tools in a conversation: those offered, and those that were called before and may be
// gone.
func namesOf(t port.TurnRequest) names {
	var all []string
	for _, tool := range t.Tools {
		all = append(all, tool.Name)
	}
	for _, e := range t.Entries {
		for _, c := range e.Calls {
			all = append(all, c.Tool)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	count := map[string]int{}
	for _, name := range all {
		count[plain(name)]++
	}
	n := names{map[string]string{}, map[string]string{}}
	for _, name := range all {
		wire := plain(name)
		if wire != name && count[wire] > 1 || wire == "" || len(wire) > nameMax {
			wire = digested(wire, name)
		}
		n.out[name], n.in[wire] = wire, name
	}
	return n
}

// plain replaces everything that providers do not accept with _.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if safe(r) {
			return r
		}
		return '_'
	}, name)
}

func safe(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

func digested(wire, of string) string {
	sum := sha256.Sum256([]byte(of))
	tail := "_" + hex.EncodeToString(sum[:4])
	return wire[:min(len(wire), nameMax-len(tail))] + tail
}

// real returns our name for a name on the wire. A model may also know a tool by its real name, from text it
// read; an unknown name stays as is.
func (n names) real(wire string) string {
	if name, ok := n.in[wire]; ok {
		return name
	}
	return wire
}

// ids give every call of a conversation a unique id that providers accept: some models count from zero in
// each turn.
type ids map[string]bool

const idMax = 64

func (used ids) next(id string) string {
	if id = plain(id); id == "" {
		id = "call"
	}
	if len(id) > idMax {
		sum := sha256.Sum256([]byte(id))
		id = "call_" + hex.EncodeToString(sum[:12])
	}
	free := id
	for n := 2; used[free]; n++ {
		free = numbered(id, n)
	}
	used[free] = true
	return free
}

func numbered(id string, n int) string {
	tail := "_" + strconv.Itoa(n)
	return id[:min(len(id), idMax-len(tail))] + tail
}
