package importer

import (
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition/tree"
)

// fields builds the schema of submitted data from the editable fields and their rules.
func (c *checkpoint) fields() {
	names, whole, ok := c.ui.texts("editable_fields")
	rules, r := (*object)(nil), entry{}
	if e, there := c.ui.take("validation_rules"); there {
		r = e
		rules, _ = c.ui.object("validation_rules")
	}
	if c.Kind != gate.KindInput {
		if ok {
			c.notes.dropped(whole.at, "only an input has fields; an approval is changed as a whole, by the act modify")
		}
		if r.node != nil {
			c.notes.dropped(r.at, "only an input has fields")
		}
		return
	}
	if !ok && rules != nil {
		for _, m := range rules.node.Members {
			names = append(names, entry{rules.at, &tree.Node{Kind: tree.Text, Text: m.Key}})
		}
		c.defaulted(rules.at, "input_schema", "no editable_fields: those that have rules")
	}
	if len(names) == 0 {
		c.InputSchema = value.Object(value.Member{Key: "type", Value: value.Quote("object")})
		c.notes.warn(c.ui.at, "no editable_fields: any data is accepted")
		return
	}
	if ok {
		c.mapped(whole, "input_schema", "")
	}
	properties, required := c.properties(names, rules)
	members := []value.Member{
		{Key: "type", Value: value.Quote("object")},
		{Key: "additionalProperties", Value: []byte("false")},
		{Key: "properties", Value: value.Object(properties...)},
	}
	if len(required) > 0 {
		raw, _ := value.Marshal(required)
		members = append(members, value.Member{Key: "required", Value: raw})
	}
	c.InputSchema = value.Object(members...)
}

// properties are the schemas of the fields. Rules about other fields are returned.
func (c *checkpoint) properties(names []entry, rules *object) (properties []value.Member, required []string) {
	has := func(name string) bool {
		return slices.ContainsFunc(properties, func(m value.Member) bool { return m.Key == name })
	}
	for _, e := range names {
		name := e.node.Text
		if has(name) {
			c.notes.dropped(e.at, "it is listed twice")
			continue
		}
		if strings.ContainsAny(name, ".[") {
			c.notes.warn(e.at, "the name is used unchanged: it is not a path")
		}
		schema, must := c.rulesOf(rules, name)
		properties = append(properties, value.Member{Key: name, Value: schema})
		if must {
			required = append(required, name)
		}
	}
	if rules == nil {
		return properties, required
	}
	for _, m := range rules.node.Members {
		if e, _ := rules.take(m.Key); !has(m.Key) {
			c.notes.dropped(e.at, "it is not among the editable_fields")
		}
	}
	return properties, required
}

// rulesOf is the schema of one field, and whether it is required. A field without rules accepts any value: the
// source does not distinguish them.
func (c *checkpoint) rulesOf(rules *object, name string) (schema []byte, required bool) {
	if rules == nil || rules.node.Get(name) == nil {
		return []byte("{}"), false
	}
	o, ok := rules.object(name)
	if !ok {
		return []byte("{}"), false
	}
	defer o.rest()
	to := "input_schema.properties." + name
	c.mapped(entry{at: o.at}, to, "")
	f := &fieldRules{checkpoint: c, object: o, to: to}
	f.readType()
	f.bounds()
	for _, k := range [][2]string{{"pattern", "pattern"}, {"regex", "pattern"}, {"format", "format"}, {"label", "title"},
		{"title", "title"}, {"description", "description"}} {
		if e, ok := o.of(k[0], tree.Text); ok {
			f.set(e, k[1], e.node.JSON())
		}
	}
	for _, key := range []string{"enum", "allowed_values", "options"} {
		if e, ok := o.of(key, tree.List); ok {
			f.set(e, "enum", e.node.JSON())
		}
	}
	must, e, said := o.flag("required")
	if said {
		c.mapped(e, "input_schema.required", "")
	}
	return value.Object(f.members...), must
}

// fieldRules are the rules of one field, being converted to a schema.
type fieldRules struct {
	*checkpoint
	object  *object
	to      string
	kind    string
	members []value.Member
}

// set adds a keyword, unless the field already has it.
func (f *fieldRules) set(e entry, key string, raw []byte) {
	if slices.ContainsFunc(f.members, func(m value.Member) bool { return m.Key == key }) {
		f.notes.dropped(e.at, "%s is already set", key)
		return
	}
	f.members = append(f.members, value.Member{Key: key, Value: raw})
	f.mapped(e, f.to+"."+key, "")
}

// typeOf translates types of rules to types of JSON Schema and a format.
var typeOf = map[string][2]string{
	"string": {"string"}, "text": {"string"}, "number": {"number"}, "float": {"number"}, "decimal": {"number"},
	"integer": {"integer"}, "int": {"integer"},
	"boolean": {"boolean"}, "bool": {"boolean"}, "object": {"object"}, "array": {"array"}, "list": {"array"},
	"date": {"string", "date"}, "datetime": {"string", "date-time"}, "date-time": {"string", "date-time"},
	"email": {"string", "email"},
}

func (f *fieldRules) readType() {
	word, e, ok := f.object.text("type")
	if !ok {
		return
	}
	t, known := typeOf[strings.ToLower(word)]
	if !known {
		f.notes.dropped(e.at, "%q is not a type here: any value is accepted", clip(word))
		return
	}
	f.kind = t[0]
	f.set(e, "type", value.Quote(t[0]))
	if t[1] != "" {
		f.set(e, "format", value.Quote(t[1]))
	}
}

// bounds: min and max limit a number, the length of a text or of a list.
func (f *fieldRules) bounds() {
	min, max := "minimum", "maximum"
	switch f.kind {
	case "string":
		min, max = "minLength", "maxLength"
	case "array":
		min, max = "minItems", "maxItems"
	}
	for _, k := range [][2]string{
		{"min", min}, {"max", max}, {"minimum", "minimum"}, {"maximum", "maximum"},
		{"min_length", "minLength"}, {"minLength", "minLength"}, {"max_length", "maxLength"}, {"maxLength", "maxLength"},
	} {
		if e, ok := f.object.of(k[0], tree.Number); ok {
			f.set(e, k[1], e.node.JSON())
		}
	}
}
