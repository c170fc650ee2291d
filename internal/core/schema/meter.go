package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/assent-run/assent/internal/core/value"
)

const (
	stepsBase    = 250_000 // well below a second
	stepsPerByte = 2
	patternMax   = 10_000 // instructions of one compiled pattern
	enumCostMax  = 1_000_000_000
)

// errSpent is what a meter panics with; the validator cannot be stopped in any other way.
var errSpent = errors.New("budget spent")

// meter counts the steps of one validation. A few references that each lead to two others double the work at
// every level, so a schema of a kilobyte can require an unbounded number of steps.
type meter struct {
	on   bool
	left int64
}

func (m *meter) fill(steps int64) { m.on, m.left = true, steps }
func (m *meter) stop()            { m.on = false }

func (m *meter) spend(steps int) {
	if !m.on {
		return
	}
	if m.left -= int64(steps); m.left < 0 {
		panic(errSpent)
	}
}

// pattern is a regular expression that charges for its use.
type pattern struct {
	*regexp.Regexp
	meter *meter
	size  int    // instructions
	src   string // as written
}

func (p *pattern) String() string { return p.src }

func (p *pattern) MatchString(s string) bool {
	p.meter.spend(1 + p.size*len(s)/256)
	return p.Regexp.MatchString(s)
}

// re2 rewrites \u0041, which JavaScript supports and RE2 does not.
func re2(src string) string {
	if !strings.Contains(src, `\u`) {
		return src
	}
	var b strings.Builder
	for i := 0; i < len(src); i++ {
		if src[i] != '\\' || i+1 == len(src) {
			b.WriteByte(src[i])
			continue
		}
		if src[i+1] == 'u' && i+6 <= len(src) {
			if _, err := strconv.ParseUint(src[i+2:i+6], 16, 16); err == nil {
				b.WriteString(`\x{` + src[i+2:i+6] + `}`)
				i += 5
				continue
			}
		}
		b.WriteString(src[i : i+2])
		i++
	}
	return b.String()
}

func (m *meter) compilePattern(src string) (jsonschema.Regexp, error) {
	m.spend(1 + len(src)) // the format "regex" compiles while validating
	text := re2(src)
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		var bad *syntax.Error
		if errors.As(err, &bad) && bad.Code == syntax.ErrInvalidPerlOp {
			return nil, fmt.Errorf("%s is not supported (no look-around or back-references)", short(bad.Expr))
		}
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > patternMax {
		return nil, errors.New("it is too large")
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &pattern{compiled, m, len(prog.Inst), src}, nil
}

// attach attaches the meter to every schema that a validation can reach.
func (s *Schema) attach(c *jsonschema.Compiler, doc any) {
	seen := map[*jsonschema.Schema]bool{}
	s.reach(s.compiled, seen)
	// Dynamic anchors are found by name at run time, not through a field.
	visit(doc, nil, func(v map[string]any, path []string) bool {
		if _, ok := v["$dynamicAnchor"].(string); ok {
			if sch, err := c.Compile(location + "#" + escapeFragment(value.Path(path).Pointer())); err == nil {
				s.reach(sch, seen)
			}
		}
		return true
	})
}

func (s *Schema) reach(sch *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if sch == nil || seen[sch] {
		return
	}
	seen[sch] = true
	here := slices.Concat(sch.AllOf, sch.AnyOf, sch.OneOf) // about the same value
	for _, sub := range []*jsonschema.Schema{sch.Ref, sch.RecursiveRef, sch.Not, sch.If, sch.Then, sch.Else} {
		if sub != nil {
			here = append(here, sub)
		}
	}
	if sch.DynamicRef != nil {
		here = append(here, sch.DynamicRef.Ref)
	}
	for _, d := range sch.DependentSchemas {
		here = append(here, d)
	}
	for _, d := range sch.Dependencies {
		if d, ok := d.(*jsonschema.Schema); ok {
			here = append(here, d)
		}
	}
	// About nested values.
	below := slices.Concat(sch.PrefixItems,
		[]*jsonschema.Schema{sch.PropertyNames, sch.Contains, sch.Items2020, sch.UnevaluatedItems, sch.UnevaluatedProperties})
	for _, p := range sch.Properties {
		below = append(below, p)
	}
	for _, p := range sch.PatternProperties {
		below = append(below, p)
	}
	for _, either := range []any{sch.AdditionalProperties, sch.AdditionalItems, sch.Items} {
		switch e := either.(type) {
		case *jsonschema.Schema:
			below = append(below, e)
		case []*jsonschema.Schema:
			below = append(below, e...)
		}
	}
	for _, sub := range slices.Concat(here, below) {
		s.reach(sub, seen)
	}
	s.enumMax = max(s.enumMax, enumCost(sch))
	if sch.Bool == nil {
		sch.Extensions = append(sch.Extensions, &toll{s.meter, 1 + len(here)})
	}
	if sch.PropertyNames != nil {
		sch.Extensions = append(sch.Extensions, &names{sch.PropertyNames})
		sch.PropertyNames = nil
	}
}

// enumCost is the cost of comparing a value with an enum, in string comparisons.
func enumCost(sch *jsonschema.Schema) (cost int) {
	var wanted []any
	if sch.Enum != nil {
		wanted = sch.Enum.Values
	}
	if sch.Const != nil {
		wanted = append(slices.Clone(wanted), *sch.Const)
	}
	for _, v := range wanted {
		switch v.(type) {
		case json.Number:
			cost += 100
		case []any, map[string]any:
			cost += 100 * countValues(v)
		default:
			cost++
		}
	}
	return cost
}

// toll charges for each application of a schema to a value.
type toll struct {
	meter *meter
	steps int
}

func (t *toll) Validate(*jsonschema.ValidatorContext, any) { t.meter.spend(t.steps) }

// names checks property names in place of the library, which reports them at a location that later steps
// overwrite.
type names struct{ sch *jsonschema.Schema }

func (n *names) Validate(ctx *jsonschema.ValidatorContext, v any) {
	obj, ok := v.(map[string]any)
	if !ok {
		return
	}
	for k := range obj {
		var bad *jsonschema.ValidationError
		if errors.As(n.sch.Validate(k), &bad) {
			ctx.AddErr(&jsonschema.ValidationError{
				InstanceLocation: slices.Clone(ctx.ValueLocation()),
				ErrorKind:        &kind.PropertyNames{Property: k},
				Causes:           bad.Causes,
			})
		}
	}
}
