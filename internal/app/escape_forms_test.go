package app_test

import (
	"fmt"
	"strings"
)

// wrong are the ways to write what is honest wrong. In a map it is the only
// element that is written so.
func (c *forgeryCase) wrong() []said {
	h := c.honest
	var out []said
	add := func(how, output string) {
		out = append(out, said{how: how, output: output, confidence: h.confidence, tool: h.tool})
	}
	for _, member := range []string{"amount", "customer", "tags"} {
		value := valueOf(h.output, member)
		without := replaced(h.output, member, "")
		add(member+" left out", without)
		for _, other := range []string{`null`, `true`, `"1"`, `""`, `[1]`, `{"value":1}`, `[]`, `{}`} {
			if kindOf(other) != kindOf(value) {
				add(member+" as "+other, replaced(h.output, member, fmt.Sprintf(`"%s":%s`, member, other)))
			}
		}
		for _, name := range lookAlikes(member) {
			add(member+" renamed to "+name, replaced(h.output, member, fmt.Sprintf(`%q:%s`, name, value)))
			add("another "+name, strings.Replace(h.output, "{", fmt.Sprintf(`{%q:%s,`, name, harmlessOf[member]), 1))
		}
		add(member+" twice, the harmless one last",
			strings.TrimSuffix(h.output, "}")+fmt.Sprintf(`,"%s":%s}`, member, harmlessOf[member]))
		add(member+" twice, the harmless one first",
			strings.Replace(h.output, "{", fmt.Sprintf(`{"%s":%s,`, member, harmlessOf[member]), 1))
		add(member+" twice, once escaped", strings.TrimSuffix(h.output, "}")+
			fmt.Sprintf(`,"\u%04x%s":%s}`, member[0], member[1:], harmlessOf[member]))
		add(member+" nested", replaced(h.output, member, fmt.Sprintf(`"data":{"%s":%s}`, member, value)))
	}
	add("a country that is flat", strings.Replace(replaced(h.output, "customer", ""), "{", `{"customer.country":"NO",`, 1))
	add("a flat country besides", strings.Replace(h.output, "{", `{"customer.country":"NO",`, 1))
	add("words of the policy", strings.Replace(h.output, "{",
		`{"operation":"read","risk":"low","risk_level":"low","confidence":1,"agent":"x","tool":"x","workflow":"x","input":{"amount":1},"context":{"amount":1},"propose":{"amount":1},"pay":{"amount":1},`, 1))
	add("all of it nested", `{"data":`+h.output+`}`)
	add("all of it in a list", `[`+h.output+`]`)
	add("all of it as text", fmt.Sprintf("%q", h.output))
	for _, empty := range []string{`{}`, `null`, `""`, `[]`, `0`} {
		add("nothing but "+empty, empty)
	}
	if n := valueOf(h.output, "amount"); n != "" {
		for _, same := range []string{n + ".0", n + "e0", n + ".000000000000000000000000",
			"0.0" + n + "e" + fmt.Sprint(len(n)+1)} {
			add("the same amount as "+same, replaced(h.output, "amount", `"amount":`+same))
		}
		if c.upwards {
			for _, huge := range []string{"1e30", "99999999999999999999999999999999", "1e400", "1e999999999"} {
				add("a huge amount", replaced(h.output, "amount", `"amount":`+huge))
			}
		}
		add("no number", replaced(h.output, "amount", `"amount":NaN`))
		add("a number that JSON does not have", replaced(h.output, "amount", `"amount":+1`))
	}
	return append(c.mapped(out), c.unsure()...)
}

// unsure are the ways to say wrongly how sure one is, and which tool is meant.
func (c *forgeryCase) unsure() (out []said) {
	for _, says := range []string{
		``, `"confidence":null`, `"confidence":"0.99"`, `"confidence":"high"`, `"confidence":1.5`, `"confidence":99`,
		`"confidence":-1`, `"confidence":[0.99]`,
		`"confidence":{"value":0.99}`, `"confidence":true`, `"confidence":NaN`, `"confidence":1e400`, `"Confidence":0.99`,
		`"confidence":0.3,"confidence":0.99`,
		`"confidence":0.99,"confidence":0.3`, `"confidençe":0.99`, `"score":0.99`, `"usage":{"confidence":0.99}`,
	} {
		out = append(out, said{how: "confidence: " + says, output: c.honest.output, confidence: says, tool: c.honest.tool})
	}
	for _, tool := range []string{strings.ToUpper(c.honest.tool), c.honest.tool + " ", "рay-" + c.honest.tool[4:],
		"functions." + c.honest.tool, "agent:payer", "", "mcp:x/" + c.honest.tool} {
		out = append(out, said{how: "tool: " + tool, output: c.honest.output, confidence: c.honest.confidence, tool: tool})
	}
	for _, member := range []string{`"_confidence":1`, `"_confidence":"1"`, `"confidence":1`} {
		out = append(out, said{how: "with " + member, output: strings.Replace(c.honest.output, "{", "{"+member+",", 1),
			confidence: c.honest.confidence, tool: c.honest.tool})
	}
	return c.mapped(out)
}

// mapped puts what is said into a list where the step works on one.
func (c *forgeryCase) mapped(list []said) []said {
	if c.shape == "a step for each" {
		for n := range list {
			list[n].output = `{"items":[` + list[n].output + `]}`
		}
	}
	return list
}

// harmlessOf are values that no rule would ask about.
var harmlessOf = map[string]string{"amount": "1", "customer": `{"country":"NO","name":"Zoe"}`, "tags": `["new"]`}

// lookAlikes are names that people take for another.
func lookAlikes(name string) []string {
	cyrillic := strings.NewReplacer("a", "а", "o", "о", "e", "е", "c", "с").Replace(name)
	wide := string(rune(0xff00+int(name[0])-0x20)) + name[1:]
	return []string{cyrillic, wide, strings.ToUpper(name[:1]) + name[1:], strings.ToUpper(name), name + " ", " " + name,
		name + "\u200b", name + "2", "_" + name, name + "."}
}

// valueOf is a member's value as it is written; replaced puts another member in
// its place. Both know the three members of the honest output, no other JSON.
func valueOf(output, member string) string {
	from, to := span(output, member)
	if from < 0 {
		return ""
	}
	return strings.TrimPrefix(output[from:to], `"`+member+`":`)
}

func replaced(output, member, by string) string {
	from, to := span(output, member)
	switch {
	case from < 0:
		return output
	case by == "" && to < len(output) && output[to] == ',':
		to++
	case by == "" && output[from-1] == ',':
		from--
	}
	return output[:from] + by + output[to:]
}

func span(output, member string) (from, to int) {
	if from = strings.Index(output, `"`+member+`":`); from < 0 {
		return from, from
	}
	depth := 0
	for to = from; to < len(output); to++ {
		switch output[to] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return from, to
			}
		case ',':
			if depth == 0 {
				return from, to
			}
		}
	}
	return from, to
}

func kindOf(json string) string {
	switch json[:1] {
	case "{", "[", `"`, "n":
		return json[:1]
	case "t", "f":
		return "bool"
	}
	return "number"
}
