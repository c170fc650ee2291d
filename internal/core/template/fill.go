package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/assent-run/assent/internal/core/value"
)

const (
	writtenMax = 2 << 10 // bytes that a template may write; the rest is cut off
	stepsMax   = 10_000  // parts evaluated, repetitions included
)

// Missing stands for a value that is missing or null.
const Missing = "…"

var (
	errLong  = errors.New("long enough")
	errSteps = errors.New("the template does too much")
)

// Fill writes the template with an object's members as its fields. It reports false for a template that does not
// match them: a field of a text, a text compared with a number.
func (t *Template) Fill(data json.RawMessage) (string, bool) {
	if value.KindOf(data) != value.KindObject {
		return "", false
	}
	root := dataOf(data, 0)
	f := filling{vars: []variable{{"$", root}}}
	if _, err := f.list(t.root, root); err != nil && !errors.Is(err, errLong) {
		return "", false
	}
	return f.out.String(), true
}

// filling is one evaluation of a template.
type filling struct {
	out   strings.Builder
	vars  []variable // the innermost is last
	steps int
}

type variable struct {
	name  string
	value any
}

// leap says how a list of nodes ended.
type leap int

const (
	onward leap = iota
	nextRound
	outOfLoop
)

func (f *filling) step() error {
	if f.steps++; f.steps > stepsMax {
		return errSteps
	}
	return nil
}

func (f *filling) write(s string) error {
	if room := writtenMax - f.out.Len(); len(s) > room {
		f.out.WriteString(strings.ToValidUTF8(s[:room], ""))
		return errLong
	}
	f.out.WriteString(s)
	return nil
}

// list evaluates nodes. Variables declared in them end with them.
func (f *filling) list(l *parse.ListNode, dot any) (leap, error) {
	if l == nil {
		return onward, nil
	}
	outer := len(f.vars)
	defer func() { f.vars = f.vars[:outer] }()
	for _, n := range l.Nodes {
		if to, err := f.node(n, dot); err != nil || to != onward {
			return to, err
		}
	}
	return onward, nil
}

func (f *filling) node(n parse.Node, dot any) (leap, error) {
	if err := f.step(); err != nil {
		return onward, err
	}
	switch n := n.(type) {
	case *parse.TextNode:
		return onward, f.write(string(n.Text))
	case *parse.ActionNode:
		v, err := f.pipe(n.Pipe, dot)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return onward, err
		}
		return onward, f.write(printed(v))
	case *parse.IfNode:
		return f.branch(&n.BranchNode, dot, false)
	case *parse.WithNode:
		return f.branch(&n.BranchNode, dot, true)
	case *parse.RangeNode:
		return onward, f.loop(n, dot)
	case *parse.BreakNode:
		return outOfLoop, nil
	case *parse.ContinueNode:
		return nextRound, nil
	}
	return onward, nil // a comment
}

func (f *filling) branch(n *parse.BranchNode, dot any, with bool) (leap, error) {
	outer := len(f.vars)
	defer func() { f.vars = f.vars[:outer] }()
	v, err := f.pipe(n.Pipe, dot)
	switch {
	case err != nil:
		return onward, err
	case !truth(v):
		return f.list(n.ElseList, dot)
	case with:
		return f.list(n.List, v)
	}
	return f.list(n.List, dot)
}

// loop repeats its nodes for the elements of a list or an object; over anything else it might not end.
func (f *filling) loop(n *parse.RangeNode, dot any) error {
	outer := len(f.vars)
	defer func() { f.vars = f.vars[:outer] }()
	over, err := f.value(n.Pipe, dot)
	if err != nil {
		return err
	}
	var keys, values []any
	switch over := over.(type) {
	case nil:
	case list:
		values = over
	case object:
		for _, k := range slices.Sorted(maps.Keys(over)) {
			keys, values = append(keys, k), append(values, over[k])
		}
	default:
		return fmt.Errorf("%s is neither a list nor an object", n.Pipe)
	}
	if len(values) == 0 {
		_, err := f.list(n.ElseList, dot)
		return err
	}
	for i, v := range values {
		if err := f.step(); err != nil {
			return err
		}
		f.vars = f.vars[:outer]
		switch names := n.Pipe.Decl; len(names) {
		case 1:
			f.vars = append(f.vars, variable{names[0].Ident[0], v})
		case 2:
			var key any = int64(i)
			if keys != nil {
				key = keys[i]
			}
			f.vars = append(f.vars, variable{names[0].Ident[0], key}, variable{names[1].Ident[0], v})
		}
		if to, err := f.list(n.List, v); err != nil || to == outOfLoop {
			return err
		}
	}
	return nil
}

// pipe evaluates a pipeline and sets the variables it declares.
func (f *filling) pipe(p *parse.PipeNode, dot any) (any, error) {
	v, err := f.value(p, dot)
	if err != nil {
		return nil, err
	}
	for _, d := range p.Decl {
		if !p.IsAssign {
			f.vars = append(f.vars, variable{d.Ident[0], v})
			continue
		}
		for i := len(f.vars) - 1; i >= 0; i-- {
			if f.vars[i].name == d.Ident[0] {
				f.vars[i].value = v
				break
			}
		}
	}
	return v, nil
}

// value evaluates a pipeline: each command gets the value before it as its last argument.
func (f *filling) value(p *parse.PipeNode, dot any) (v any, err error) {
	for i, cmd := range p.Cmds {
		var before []any
		if i > 0 {
			before = []any{v}
		}
		if v, err = f.command(cmd, dot, before); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (f *filling) command(cmd *parse.CommandNode, dot any, before []any) (any, error) {
	name, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok {
		if len(cmd.Args) > 1 || len(before) > 0 {
			return nil, fmt.Errorf("%s is not a function", cmd.Args[0])
		}
		return f.operand(cmd.Args[0], dot)
	}
	args := make([]any, 0, len(cmd.Args))
	for _, n := range cmd.Args[1:] {
		v, err := f.operand(n, dot)
		if err != nil {
			return nil, err
		}
		// What follows the value that decides is not evaluated: it may not match the arguments.
		if name.Ident == "and" && !truth(v) || name.Ident == "or" && truth(v) {
			return v, nil
		}
		args = append(args, v)
	}
	return apply(name.Ident, append(args, before...))
}

func (f *filling) operand(n parse.Node, dot any) (any, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.StringNode:
		return n.Text, nil
	case *parse.BoolNode:
		return n.True, nil
	case *parse.NumberNode:
		if n.IsInt {
			return n.Int64, nil
		}
		return n.Float64, nil
	case *parse.FieldNode:
		return member(dot, n.Ident)
	case *parse.VariableNode:
		for i := len(f.vars) - 1; i >= 0; i-- {
			if f.vars[i].name == n.Ident[0] {
				return member(f.vars[i].value, n.Ident[1:])
			}
		}
		return nil, fmt.Errorf("%s is not set", n)
	case *parse.ChainNode:
		v, err := f.operand(n.Node, dot)
		if err != nil {
			return nil, err
		}
		return member(v, n.Field)
	case *parse.PipeNode:
		return f.pipe(n, dot)
	case *parse.IdentifierNode:
		return apply(n.Ident, nil)
	}
	return nil, nil // nil
}

// member follows a path of fields. A member of what is missing is missing as well.
func member(v any, path []string) (any, error) {
	for _, key := range path {
		switch in := v.(type) {
		case nil:
			return nil, nil
		case object:
			v = in[key]
		default:
			return nil, fmt.Errorf("this has no %s: it is not an object", key)
		}
	}
	return v, nil
}
