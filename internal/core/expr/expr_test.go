package expr_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// in resolves names in the members of one document.
func in(doc string) expr.Lookup {
	return func(root string) (json.RawMessage, bool) { return value.Get(json.RawMessage(doc), root) }
}

func budget() *int {
	n := expr.Budget
	return &n
}

func compile(t testing.TB, src string) *expr.Program {
	t.Helper()
	p, err := expr.Compile(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return p
}

const claim = `{
	"fraud_score": 0.85, "risk": "low", "confidence": 0.9, "amount": 49.99, "vip": true, "note": null, "name": "anna",
	"nested": {"field": 4, "deep": {"er": [10, {"x": "y"}]}, "odd-name": 1, "two words": 2},
	"fraud_signals": ["a", "b", "c", "d"], "tags": ["new", "vip", "caf\u00e9"], "empty": [], "text": "very important person", "one": {"length": 99, "a": 1},
	"big": 9007199254740993, "huge": 1E400, "tiny": 1e-400, "zero": 0, "minus": -3, "mixed": [1, "1", null, true, [1, 2], {"a": 1}],
	"in": 7, "länge": 5, "esc": "a\"b", "0": {"1": 2}
}`

func TestConditions(t *testing.T) {
	cases := []struct {
		src  string
		want bool
	}{
		// Typical expressions.
		{`fraud_score > 0.7`, true},
		{`nested.field > 3`, true},
		{`fraud_signals.length > 3`, true},
		{`risk == "low" && confidence >= 0.9 && amount < 50`, true},
		{`tags contains "vip"`, true},
		{`text contains "important"`, true},
		{`name startsWith "a"`, true},
		{`name endsWith "na"`, true},
		{`name startsWith "b" or not (amount > 50)`, true},
		{`risk in ["low", "medium"]`, true},
		// Words and symbols.
		{`vip and risk == 'low'`, true},
		{`vip && !vip`, false},
		{`!vip || vip`, true},
		{`not vip or vip`, true},
		{`not not vip`, true},
		{`!!vip`, true},
		{`true and false or true`, true},
		{`true or true and false`, true},
		{`(true or true) and false`, false},
		{`not risk == "high"`, true},
		{`!vip == false`, true},
		{`vip == (amount < 50)`, true},
		{`vip == true`, true},
		{`vip != false`, true},
		{`risk == "LOW"`, false},
		{`upper(risk) == "LOW" && lower("LOW") == risk`, true},
		{`risk != "high"`, true},
		{`risk < "lox"`, true},
		{`"b" > "a"`, true},
		// Members and elements.
		{`nested.deep.er[0] == 10`, true},
		{`nested.deep.er[1].x == "y"`, true},
		{`nested.deep.er.0 == 10`, true},
		{`nested["deep"]["er"][1]["x"] == "y"`, true},
		{"nested.`odd-name` == 1 && nested[\"two words\"] == 2", true},
		{"`in` == 7 && `0`.`1` == 2", true},
		{`länge == 5`, true},
		{`nested.deep.er[9] == 10`, false},
		{`(nested).field == 4`, true},
		// Lengths.
		{`nested.length == 4`, true},
		{`one.length == 99`, true},
		{`one.length.x == null`, true},
		{`one["length"] == 99`, true},
		{`nested["length"] == null`, true},
		{`name.length == 4 && len(name) == 4 && len("€") == 1`, true},
		{`empty.length == 0 && len(empty) == 0 && len(nested) == 4 && len([1, 2]) == 2`, true},
		{`tags.length * 2 > 5`, true},
		// Lists and membership.
		{`"vip" in tags && "vip" not in fraud_signals`, true},
		{`"café" in tags`, true},
		{`tags contains "caf"`, false},
		{`tags not contains "x"`, true},
		{`"field" in nested && "x" not in nested`, true},
		{`mixed contains 1 && mixed contains "1" && mixed contains null && mixed contains true`, true},
		{`mixed contains [1, 2] && mixed contains 2`, false},
		{`mixed contains [1, 2]`, true},
		{`mixed contains 1.0`, true},
		{`amount in [1, 49.990]`, true},
		{`tags == ["new", "vip", "café"]`, true},
		{`tags == ["new", "vip"]`, false},
		{`tags != empty && empty == []`, true},
		{`nested == nested && nested != one`, true},
		{`text matches "^very .*person$" && text matches "imp"`, true},
		{`text not matches "^imp"`, true},
		{`text matches "\\s"`, true},
		{`esc == "a\"b" and esc == 'a"b'`, true},
		{`"a\n\t\r\/\u00e9" != "x" && '\'' == "'"`, true},
		{`name + "-" + risk == "anna-low"`, true},
		{`[1, [2, "x"]] == [1, [2, "x"]] && [1] != [1, 2]`, true},
		// Missing and null.
		{`missing > 3`, false},
		{`missing != 3`, false},
		{`missing == 3`, false},
		{`not (missing > 3)`, true},
		{`missing`, false},
		{`not missing`, true},
		{`missing and true`, false},
		{`nested.missing.deeper > 3`, false},
		{`amount.missing > 3`, false},
		{`missing == null`, true},
		{`missing != null`, false},
		{`note == null`, true},
		{`null == note`, true},
		{`note != null`, false},
		{`note`, false},
		{`note == 3`, false},
		{`note != 3`, true},
		{`amount != null`, true},
		{`missing == other`, false},
		{`missing == note`, false},
		{`missing in [1, null]`, false},
		{`missing not in [1]`, false},
		{`amount in missing`, false},
		{`missing contains "x"`, false},
		{`missing startsWith "x"`, false},
		{`missing matches "x"`, false},
		{`missing.length > 0`, false},
		{`missing.length == null`, true},
		{`len(missing) >= 0`, false},
		{`lower(missing) == "x"`, false},
		{`missing + 1 > 0`, false},
		{`-missing < 0`, false},
		{`missing + 1 == null`, true},
		{`max(1, missing) == 1`, false},
		// Values of different kinds are not equal.
		{`amount == "49.99"`, false},
		{`amount != "49.99"`, true},
		{`vip == 1`, false},
		{`nested == 1`, false},
	}
	for _, c := range cases {
		got, err := compile(t, c.src).Test(in(claim))
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.src, got, err, c.want)
		}
	}
}

func TestConditionsThatMakeNoSense(t *testing.T) {
	cases := []struct {
		src    string
		column int
		want   string
	}{
		{`"abc" > 3`, 7, `the text "abc" with the number 3`},
		{`risk > 3`, 6, `the text "low" with the number 3`},
		{`vip > false`, 5, "the condition true"},
		{`note > 3`, 6, "null"},
		{`nested < 3`, 8, "an object"},
		{`fraud_signals > 3`, 15, "a list"},
		{`amount`, 1, "not a condition"},
		{`vip && risk`, 8, "not a condition"},
		{`not amount`, 5, "not a condition"},
		{`risk + 1 > 3`, 6, "cannot calculate"},
		{`-risk > 3`, 1, "no sign"},
		{`amount / zero > 1`, 8, "division by zero"},
		{`amount % 2 == 1`, 8, "whole numbers"},
		{`amount contains 4`, 8, "cannot search for"},
		{`text contains 4`, 6, "cannot search for"},
		{`amount in 4`, 8, "cannot search for"},
		{`amount in text`, 8, "cannot search for"},
		{`1 in nested`, 3, "a field name must be a text"},
		{`amount startsWith "4"`, 8, "expected two texts"},
		{`amount matches "4"`, 8, "expected two texts"},
		{`amount.length > 1`, 1, "no length"},
		{`lower(amount) == "a"`, 1, "needs a text"},
		{`max(risk, 1) > 1`, 1, "needs numbers"},
	}
	for _, c := range cases {
		got, err := compile(t, c.src).Test(in(claim))
		e, ok := err.(*fault.Error)
		if got || !ok || e.Code != fault.Invalid || len(e.Problems) != 1 {
			t.Errorf("%s: %v, %v; want an error", c.src, got, err)
			continue
		}
		if p := e.Problems[0]; p.Column != c.column || p.Line != 1 || !strings.Contains(p.Message, c.want) {
			t.Errorf("%s: column %d: %s; want %d: %s", c.src, p.Column, p.Message, c.column, c.want)
		}
	}
}

func TestSourceThatIsWrong(t *testing.T) {
	deep := strings.Repeat("(", expr.DepthMax+1) + "a" + strings.Repeat(")", expr.DepthMax+1)
	cases := []struct {
		src          string
		line, column int
		want         string
	}{
		{``, 1, 1, "empty"},
		{"  \n ", 1, 1, "empty"},
		{`a = 3`, 1, 3, "write =="},
		{`a === 3`, 1, 3, "write =="},
		{`a <> 3`, 1, 3, "write !="},
		{`a & b`, 1, 3, "&&"},
		{`a | lower`, 1, 3, "pipes"},
		{`a >`, 1, 4, "ends after >"},
		{"a > 3 &&\n  b ==", 2, 7, "ends after =="},
		{"ä > 3 = 4", 1, 7, "write =="},
		{`(a > 3`, 1, 7, ") is missing"},
		{`a > 3)`, 1, 6, "unexpected )"},
		{`[1, 2`, 1, 6, "] or a comma"},
		{`a b`, 1, 3, "an operator"},
		{`a AND b`, 1, 3, "did you mean and?"},
		{`a startswith "b"`, 1, 3, "startsWith"},
		{`a contain "b"`, 1, 3, "did you mean contains?"},
		{`a includes "b"`, 1, 3, "write contains"},
		{`a equals 3`, 1, 3, "write =="},
		{`1 < a < 5`, 1, 7, "do not chain"},
		{`!a > 3`, 1, 1, "!(… > …)"},
		{`a == not b`, 1, 6, "parentheses"},
		{`"abc`, 1, 1, "no closing \""},
		{`"a\q"`, 1, 3, "unknown escape"},
		{`1..5`, 1, 2, "ranges"},
		{`a in 1..5`, 1, 7, "ranges"},
		{`a ? b : c`, 1, 3, "instead of ? :"},
		{`a ?? b`, 1, 3, "no default"},
		{`a?.b`, 1, 2, "write ."},
		{`a ** 2`, 1, 3, "powers"},
		{`{a: 1}`, 1, 1, "not supported"},
		{`filter(a, # > 3)`, 1, 11, "not supported"},
		{`count(a)`, 1, 1, "every element"},
		{`all(a, b)`, 1, 1, "every element"},
		{`now() > 3`, 1, 1, "at any time"},
		{`length(a) > 3`, 1, 1, "did you mean len?"},
		{`loewr(a) == "b"`, 1, 1, "only abs, len"},
		{`lowr(a) == "b"`, 1, 1, "did you mean lower?"},
		{`repeat("a", 9)`, 1, 1, "only abs, len"},
		{`a.contains("b")`, 1, 3, `x contains "y"`},
		{`a.length() > 3`, 1, 3, "without brackets"},
		{`a.startsWith("b")`, 1, 3, `x startsWith "y"`},
		{`a.toLowerCase() == "b"`, 1, 3, "lower(x)"},
		{`a.toUpperCase() == "b"`, 1, 3, "upper(x)"},
		{`a.trim() == "b"`, 1, 3, "cannot be called"},
		{`contains(a, "b")`, 1, 1, "expected a value before contains"},
		{`equals(a, "b")`, 1, 1, "write =="},
		{"`a", 1, 1, "closing backtick"},
		{`"\ud83d"`, 1, 2, "unknown escape"},
		{`"a\`, 1, 3, "unknown escape"},
		{`"a\n`, 1, 1, `the text that starts here has no closing "`},
		{`"\u0041`, 1, 1, `the text that starts here has no closing "`},
		{`a matches 5`, 1, 11, "matches needs a pattern written in quotes"},
		{`a matches b`, 1, 11, "matches needs a pattern written in quotes"},
		{`> 3`, 1, 1, "expected a value"},
		{`in [1]`, 1, 1, "expected a value before in"},
		{`a[b]`, 1, 3, "number or a quoted name"},
		{`a[-1]`, 1, 3, "number or a quoted name"},
		{`a[1.5]`, 1, 3, "0, 1, 2"},
		{`"a".b`, 1, 5, "only names have fields"},
		{`lower(a).b`, 1, 10, "only names have fields"},
		{`(a)(b)`, 1, 4, "can be called"},
		{`len()`, 1, 1, "takes 1 to 1 values"},
		{`my-step.score > 3`, 1, 1, "`my-step`"},
		{`amount-1 > 3`, 1, 1, "amount - 1"},
		{`3x > 1`, 1, 1, "neither a number nor a name"},
		{`a matches b`, 1, 11, "pattern written in quotes"},
		{`a matches "("`, 1, 11, "invalid pattern"},
		{`a matches "(a{30}){30}"`, 1, 11, "too complex"},
		{`a matches "` + strings.Repeat("a", expr.PatternMax+1) + `"`, 1, 11, "at most"},
		{"a\xff", 1, 1, "UTF-8"},
		{"a § b", 1, 3, "unexpected character"},
		{"a . ", 1, 5, "a name after the dot"},
		{"1e9999999999999999999 > 3", 1, 1, "not a number that can be compared"},
		{strings.Repeat("a", expr.LengthMax+1), 1, 1, "2001 bytes long"},
		{"1" + strings.Repeat("+1", expr.NodesMax/2), 1, 1, "more than 500"},
		{"not not (1" + strings.Repeat("+1", expr.NodesMax/2-2) + "> 0)", 1, 1, "more than 500"},
		{deep, 1, 101, "nests deeper"},
		{strings.Repeat("!", expr.DepthMax+1) + "a", 1, 100, "nests deeper"},
		{strings.Repeat("not ", expr.DepthMax+1) + "a", 1, 397, "nests deeper"},
	}
	for _, c := range cases {
		_, err := expr.Compile(c.src)
		e, ok := err.(*fault.Error)
		if !ok || e.Code != fault.Invalid || len(e.Problems) != 1 {
			t.Errorf("%.40s: %v; want an error", c.src, err)
			continue
		}
		if p := e.Problems[0]; p.Line != c.line || p.Column != c.column || !strings.Contains(p.Message, c.want) {
			t.Errorf("%.40s: %d:%d: %s; want %d:%d: %s", c.src, p.Line, p.Column, p.Message, c.line, c.column, c.want)
		}
	}
}

func TestLimitsCanBeReached(t *testing.T) {
	for _, src := range []string{
		"not (1" + strings.Repeat("+1", expr.NodesMax/2-2) + "> 0)",
		strings.Repeat("(", expr.DepthMax-1) + "a" + strings.Repeat(")", expr.DepthMax-1),
		strings.Repeat(" ", expr.LengthMax-1) + "a",
		`a matches "` + strings.Repeat("a", expr.PatternMax) + `"`,
	} {
		if _, err := expr.Compile(src); err != nil {
			t.Errorf("%.40s: %v", src, err)
		}
	}
}

func TestRootsAndPaths(t *testing.T) {
	p := compile(t, `nested.deep.er[0] > fraud_score && nested.field > 1 && tags.length > len(name) && nested.field < 9 && risk in [input.risk]`)
	if got, want := p.Roots(), []string{"nested", "fraud_score", "tags", "name", "risk",
		"input"}; !reflect.DeepEqual(got, want) {
		t.Errorf("roots %q, want %q", got, want)
	}
	want := "[nested.deep.er[0] fraud_score nested.field tags name risk input.risk]"
	if got := fmt.Sprint(p.Paths()); got != want {
		t.Errorf("paths %s, want %s", got, want)
	}
	if got := compile(t, "1 < 2").Roots(); got != nil {
		t.Errorf("no names, but roots %q", got)
	}
}

func TestOnlyWhatIsNeededIsLookedUp(t *testing.T) {
	var asked []string
	look := func(root string) (json.RawMessage, bool) {
		asked = append(asked, root)
		return value.Get(json.RawMessage(claim), root)
	}
	ok, err := compile(t, `risk == "low" && risk != "high" && (vip or nested.field > 3)`).Test(look)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if want := []string{"risk", "vip"}; !reflect.DeepEqual(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if ok, err := compile(t, "a > 3").Test(nil); ok || err != nil {
		t.Errorf("without a lookup everything is missing: %v, %v", ok, err)
	}
}

func TestManyFieldsOfOneObject(t *testing.T) {
	doc := `{"o": {"a": 9, "b": 2, "c": 3, "d": 4, "a": 1}}`
	ok, err := compile(t, `o.a == 1 && o.b == 2 && o.c == 3 && o.d == 4 && o.e == null`).Test(in(doc))
	if !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestCompare(t *testing.T) {
	cases := []struct {
		op, a, b string
		want     bool
		bad      bool
	}{
		{">", "1500", "1000", true, false},
		{"<=", " 50 ", "50.0", true, false},
		{"==", `"a"`, `"a"`, true, false},
		{"==", "", "null", true, false},
		{"!=", "", "null", false, false},
		{"!=", "", "3", false, false},
		{"in", `"a"`, `["a", "b"]`, true, false},
		{"not in", `"c"`, `["a", "b"]`, true, false},
		{"not in", "", `["a", "b"]`, false, false},
		{"contains", `["a", "b"]`, `"a"`, true, false},
		{"startsWith", `"abc"`, `"ab"`, true, false},
		{">", `"abc"`, "3", false, true},
		{">", `#`, "3", false, true},
		{"matches", `"a"`, `"a"`, false, true},
		{"~", "1", "1", false, true},
	}
	for _, c := range cases {
		got, err := expr.Compare(budget(), c.op, json.RawMessage(c.a), json.RawMessage(c.b))
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%s %s %s: %v, %v", c.a, c.op, c.b, got, err)
		}
	}
}
