package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode"

	"github.com/assent-run/assent/internal/core/value"
)

// A description states in plain words what a call would do. Its template comes from the author of the tool's
// document, its data from a model: neither may make it run away, and the data is data, whatever it looks
// like.

const (
	describedMax = 500     // characters of a description
	workMax      = 2 << 10 // bytes that a template may write
	nodesMax     = 1000    // of a template
	shownArgMax  = 80      // characters of one argument
	shownArgsMax = 8
)

// functions that always terminate quickly. Excluded are those that expand their input (print, html, js,
// urlquery), and call.
var functions = map[string]bool{
	"and": true, "or": true, "not": true, "eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
	"len": true, "index": true, "printf": true,
}

// format is a printf verb with a width of at most two digits.
var format = regexp.MustCompile(`^(?:[^%]|%[-+# 0]*[0-9]{0,2}(?:\.[0-9]{0,2})?[vdsqtxXeEfFgGU%])*$`)

// describe fills in a document's template. Without one, or if it does not match the arguments, the arguments
// themselves are shown.
func describe(text, name string, args json.RawMessage) string {
	if out := fill(text, args); out != "" {
		return out
	}
	return inWords(name, args)
}

// fill is a template filled with arguments; empty if it does not match them.
func fill(text string, args json.RawMessage) string {
	if text == "" || value.KindOf(args) != value.KindObject {
		return ""
	}
	t, err := template.New("").Option("missingkey=zero").Parse(text)
	if err != nil || t.Tree == nil || t.Tree.Root == nil || len(t.Templates()) > 1 {
		return ""
	}
	c := checker{data: dataOf(args, 0).(object)}
	if c.check(t.Tree.Root, false) != nil {
		return ""
	}
	var b limited
	if err := t.Execute(&b, c.data); err != nil && !errors.Is(err, errLong) {
		return ""
	}
	return plain(strings.ReplaceAll(b.out.String(), "<no value>", "…"), describedMax)
}

// checker accepts templates that terminate quickly, and makes nested fields of missing fields resolvable.
type checker struct {
	data  object
	nodes int
}

var errRefused = errors.New("the template does too much")

// check walks a template. Deep reports that the dot may have changed.
func (c *checker) check(n parse.Node, deep bool) error {
	if c.nodes++; c.nodes > nodesMax {
		return errRefused
	}
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, e := range n.Nodes {
			if err := c.check(e, deep); err != nil {
				return err
			}
		}
		return nil
	case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode, *parse.DotNode, *parse.NilNode,
		*parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.VariableNode:
		return nil
	case *parse.FieldNode:
		c.room(n.Ident)
		return nil
	case *parse.ChainNode:
		return c.check(n.Node, deep)
	case *parse.ActionNode:
		return c.check(n.Pipe, deep)
	case *parse.PipeNode:
		if n == nil {
			return nil
		}
		for _, cmd := range n.Cmds {
			if err := c.command(cmd, deep); err != nil {
				return err
			}
		}
		return nil
	case *parse.IfNode:
		return c.branch(&n.BranchNode, deep, deep)
	case *parse.WithNode:
		return c.branch(&n.BranchNode, deep, true)
	case *parse.RangeNode:
		if deep || !c.countable(n.Pipe) {
			return errRefused
		}
		return c.branch(&n.BranchNode, deep, true)
	}
	return errRefused
}

func (c *checker) branch(n *parse.BranchNode, deep, inside bool) error {
	return errors.Join(c.check(n.Pipe, deep), c.check(n.List, inside), c.check(n.ElseList, deep))
}

// countable restricts loops to lists and objects of the data: over a number from a model they might not end.
func (c *checker) countable(p *parse.PipeNode) bool {
	if p == nil || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	f, ok := p.Cmds[0].Args[0].(*parse.FieldNode)
	if !ok {
		return false
	}
	var at any = c.data
	for _, key := range f.Ident {
		in, ok := at.(object)
		if !ok {
			return false
		}
		at = in[key]
	}
	switch at.(type) {
	case object, list, nothing, nil:
		return true
	}
	return false
}

func (c *checker) command(cmd *parse.CommandNode, deep bool) error {
	for i, arg := range cmd.Args {
		name, ok := arg.(*parse.IdentifierNode)
		if !ok {
			if err := c.check(arg, deep); err != nil {
				return err
			}
			continue
		}
		if !functions[name.Ident] {
			return errRefused
		}
		if name.Ident == "printf" {
			if i+1 >= len(cmd.Args) {
				return errRefused
			}
			f, ok := cmd.Args[i+1].(*parse.StringNode)
			if !ok || !format.MatchString(f.Text) {
				return errRefused
			}
		}
	}
	return nil
}

// room makes a.b empty instead of an error if a is missing.
func (c *checker) room(path []string) {
	at := c.data
	for _, key := range path[:len(path)-1] {
		next := at[key]
		if next == nil {
			at[key] = nothing(nil)
			return
		}
		var ok bool
		if at, ok = next.(object); !ok {
			return
		}
	}
}

// nothing is an empty value at any depth.
type nothing map[string]nothing

func (nothing) String() string { return "…" }

// object and list print as the JSON they came from.
type (
	object map[string]any
	list   []any
)

func (o object) String() string { return shown(map[string]any(o)) }
func (l list) String() string   { return shown([]any(l)) }

func shown(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "…"
	}
	return plain(string(raw), shownArgMax)
}

// dataDepth is the depth visible to a template.
const dataDepth = 20

// dataOf converts a value for templates. Numbers keep every digit; if Go's own print the same, they can also
// be compared.
func dataOf(raw json.RawMessage, depth int) any {
	switch value.KindOf(raw) {
	case value.KindObject:
		out := object{}
		for k, v := range value.Members(raw) {
			if depth < dataDepth {
				out[k] = dataOf(v, depth+1)
			}
		}
		return out
	case value.KindArray:
		out := list{}
		for _, e := range value.Elements(raw) {
			if depth < dataDepth {
				out = append(out, dataOf(e, depth+1))
			}
		}
		return out
	case value.String:
		s, _ := value.Text(raw)
		return s
	case value.Number:
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && strconv.FormatInt(n, 10) == string(raw) {
			return n
		}
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil && fmt.Sprint(f) == string(raw) {
			return f
		}
		return json.Number(raw)
	case value.Bool:
		return string(raw) == "true"
	}
	return nil
}

// inWords is a description built from the arguments alone.
func inWords(name string, args json.RawMessage) string {
	var shown []string
	more := false
	for k, v := range value.Members(args) {
		if len(shown) == shownArgsMax {
			more = true
			break
		}
		text, ok := value.Text(v)
		if !ok {
			text = string(v[:min(len(v), 4*shownArgMax)])
		}
		shown = append(shown, plain(k, shownArgMax)+": "+plain(text, shownArgMax))
	}
	if more {
		shown = append(shown, "…")
	}
	if len(shown) == 0 {
		return plain("Use "+name, describedMax)
	}
	return plain("Use "+name+" with "+strings.Join(shown, ", "), describedMax)
}

// plain turns a text into one line of at most n characters, without control characters and those that change
// the direction of writing.
func plain(s string, n int) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = b.Len() > 0
			continue
		case unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Cf, r):
			continue
		}
		if n--; n < 0 {
			b.WriteRune('…')
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

var errLong = errors.New("long enough")

// limited stops a template that writes too much.
type limited struct{ out strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.out.Len()+len(p) > workMax {
		l.out.Write(p[:workMax-l.out.Len()])
		return 0, errLong
	}
	return l.out.Write(p)
}
