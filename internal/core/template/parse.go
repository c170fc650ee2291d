package template

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"text/template/parse"
)

const nodesMax = 1000 // of a template

// functions by name, for the parser. Excluded are Go's functions that expand their input (print, html, js, urlquery),
// slice, and call.
var functions = map[string]any{
	"and": true, "or": true, "not": true, "eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
	"len": true, "index": true, "printf": true,
}

// format is a printf verb with a width of at most two digits.
var format = regexp.MustCompile(`^(?:[^%]|%[-+# 0]*[0-9]{0,2}(?:\.[0-9]{0,2})?[vdsqtxXeEfFgGU%])*$`)

// Template is a text that can be filled in.
type Template struct{ root *parse.ListNode }

// Parse reads a template. The error says what is wrong with it.
func Parse(text string) (*Template, error) {
	trees, err := parse.Parse("", text, "", "", functions)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "template: :1: "))
	}
	tree := trees[""]
	if len(trees) > 1 {
		return nil, errors.New("a template cannot define others")
	}
	if tree == nil || tree.Root == nil {
		return &Template{root: &parse.ListNode{}}, nil
	}
	c := checker{}
	if err := c.check(tree.Root); err != nil {
		return nil, err
	}
	return &Template{root: tree.Root}, nil
}

// checker accepts the subset that Fill understands.
type checker struct{ nodes int }

func (c *checker) check(n parse.Node) error {
	if c.nodes++; c.nodes > nodesMax {
		return fmt.Errorf("a template can have at most %d parts", nodesMax)
	}
	switch n := n.(type) {
	case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode, *parse.DotNode, *parse.NilNode,
		*parse.StringNode, *parse.BoolNode, *parse.FieldNode, *parse.VariableNode, *parse.IdentifierNode:
		return nil
	case *parse.NumberNode:
		if !n.IsInt && !n.IsFloat {
			return fmt.Errorf("%s is not a number that can be used here", n)
		}
		return nil
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		return each(n.Nodes, c.check)
	case *parse.ChainNode:
		return c.check(n.Node)
	case *parse.ActionNode:
		return c.check(n.Pipe)
	case *parse.PipeNode:
		if n == nil {
			return nil
		}
		return each(n.Cmds, c.command)
	case *parse.IfNode:
		return c.branch(&n.BranchNode)
	case *parse.WithNode:
		return c.branch(&n.BranchNode)
	case *parse.RangeNode:
		return c.branch(&n.BranchNode)
	}
	return fmt.Errorf("%s cannot be used here", n)
}

func (c *checker) branch(n *parse.BranchNode) error {
	return errors.Join(c.check(n.Pipe), c.check(n.List), c.check(n.ElseList))
}

func (c *checker) command(cmd *parse.CommandNode) error {
	for i, arg := range cmd.Args {
		if err := c.check(arg); err != nil {
			return err
		}
		name, ok := arg.(*parse.IdentifierNode)
		if !ok {
			continue
		}
		if i > 0 {
			return fmt.Errorf("put %s in brackets, with its arguments", name)
		}
		if name.Ident != "printf" {
			continue
		}
		var layout *parse.StringNode
		if len(cmd.Args) > 1 {
			layout, _ = cmd.Args[1].(*parse.StringNode)
		}
		if layout == nil || !format.MatchString(layout.Text) {
			return errors.New(`printf takes a format such as "%05d" with a width of at most two digits`)
		}
	}
	return nil
}

func each[N any](nodes []N, f func(N) error) error {
	for _, n := range nodes {
		if err := f(n); err != nil {
			return err
		}
	}
	return nil
}
