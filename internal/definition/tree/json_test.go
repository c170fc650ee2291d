package tree

import "testing"

func TestJSON(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"values": {` {"b": [1, -2.50, 1E400, true, false, null, "x\n\u00e9\ud83d\ude00"], "a": {}} `,
			`{"b":[1,-2.50,1E400,true,false,null,"x\né😀"],"a":{}}`},
		"list":  {"[{\"a\":1},\n {\"b\":2}]", "{\"a\":1}\n{\"b\":2}"},
		"empty": {" \n", ""},
		"behind": {"{}\n{}", "2:1: unexpected text after the end of the document: write several " +
			"documents as a list, [ … ]"},
		"comma":       {"{\n  \"a\": [1, 2,]\n}", "2:13: unexpected comma before the ]"},
		"commas":      {"[1,,2]", "1:4: a value is missing before this ,"},
		"no comma":    {"{\"a\": 1\n \"b\": 2}", "2:2: expected a comma or }"},
		"no colon":    {`{"a" 1}`, `1:6: expected a colon after the key "a"`},
		"no value":    {`{"a":}`, "1:6: a value is missing before this }"},
		"plain key":   {`{a: 1}`, "1:2: expected a key in double quotes"},
		"single":      {`{"a": 'b'}`, "1:7: texts must be in double quotes"},
		"plain":       {`{"a": yes}`, `1:7: a text must be in double quotes: "yes"`},
		"number":      {`{"é": 007}`, "1:7: 007 is not a valid JSON number"},
		"comment":     {"{\n// x\n}", "2:1: expected a key in double quotes"},
		"comment 2":   {"# x\n{}", "1:1: JSON has no comments: remove them, or write YAML"},
		"not closed":  {`{"a": [1, 2`, "1:7: the [ that starts here is not closed"},
		"not closed2": {`{"a": 1,`, "1:1: the { that starts here is not closed"},
		"not closed3": {"[\"a\nb\"]", `1:2: the " that starts here is not closed in its line: write \n for a line end`},
		"ends":        {`{"a":`, "2:1: the file ends where a value is expected"},
		"tab":         {"[\"a\tb\"]", `1:4: a tab in a text is written \t`},
		"escape":      {`["a\x41"]`, `1:4: \x is not a valid escape in JSON: write \\ for a backslash`},
		"half":        {`["\udc00"]`, `1:3: \udc00 is only half of a character: the other half must follow`},
		"invisible":   {"[[\"\ufeff\u0085\u007f\"]]", "[\"\ufeff\u0085\u007f\"]"},
		"control":     {"[\"\u0007\"]", `1:3: the character U+0007 cannot be seen: write "\u0007" in double quotes if it is meant`},
		"other":       {`[@]`, "1:2: expected a value, found @"},
		"twice": {"{\"a\": 1, \"b\": {\"c\": 1,\n\"c\": 2}, \"a\": 3}",
			"2:1: duplicate key \"c\": the first is in line 1, column 16\n2:10: duplicate key \"a\": the " +
				"first is in line 1, column 2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := show(JSON, c.src); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
			}
		})
	}
}
