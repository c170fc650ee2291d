package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
)

const costed = `{"n": 12, "f": 0.25, "t": "abcd", "l": [1,2,3], "o": {"a":1}, "p": {"a":1,"b":2,"c":3,"d":4}, "w": ["x","ab"], "e": ["\u0061b","ab"]}`

// Every byte that is read is charged to the budget: that keeps an evaluation short whatever the data. A
// budget one below the cost is not enough.
func TestPrices(t *testing.T) {
	for src, price := range map[string]int{
		`n > 5`:               4, // twice the text of a number
		`f < 0.5`:             8 + 4 + 3,
		`t == "abcd"`:         12 + 4,
		`t > "ab"`:            12 + 2,
		`t contains "bc"`:     12 + 2*(4+2),
		`t startsWith "ab"`:   12 + 2,
		`t endsWith "bcd"`:    12 + 3,
		`t matches "b"`:       12 + 8*3*5,
		`len(t) > 1`:          12 + 4,
		`l.length > 1`:        3 * 7,
		`len(o) == 1`:         3 * 7,
		`2 in l`:              2*7 + 2*(16+2),
		`l contains 9`:        2*7 + 3*(16+2),
		`"ab" in ["x","ab"]`:  2*16 + 1 + 2,
		`"a" in o`:            7,
		`l == [1, 2, 3]`:      2*7 + 3*(16+2+16),
		`o == o`:              10 * (7 + 7),
		`n + 1 > 0`:           4 + 1000,
		`f + f > 0`:           8 + 8 + 1000 + 4 + 4,
		`-f < 0`:              8 + 4 + 5,
		`t + "x" == "abcdx"`:  12 + 5 + 5,
		`lower(t) == "abcd"`:  12 + 4*4 + 4,
		`upper(t) == "ABCD"`:  12 + 4*4 + 4,
		`o.a == 1`:            7 + 2,
		`o.a == 1 && o.a < 2`: 7 + 2 + 2, // the target is known
		`w[1] == "ab"`:        10 + 8 + 2,
		// Up to three fields of an object are looked up one by one, four or more in one pass.
		`p.a == 1 && p.b == 2 && p.c == 3`:             3*25 + 3*2,
		`p.a == 1 && p.b == 2 && p.c == 3 && p.d == 4`: 4*25 + 4*2,
		// Texts that cannot match are skipped; escaped ones may match.
		`"ab" in w`: 2*10 + 16 + 8 + 2,
		`"ab" in e`: 2*16 + 16 + 18 + 2,
	} {
		p := compile(t, src)
		left := price
		if ok, err := p.TestWithin(&left, in(costed)); err != nil || left != 0 || ok == strings.Contains(src, "contains 9") {
			t.Errorf("%s: %v, %v, %d left of %d", src, ok, err, left, price)
		}
		left = price - 1
		if _, err := p.TestWithin(&left, in(costed)); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s for %d: %v", src, price-1, err)
		}
	}
}

func TestEdges(t *testing.T) {
	doc := `{"a": [0, 1, 2, 3, 4, 9], "b": [[1, 2]], "l": [ 1 ,
	2` + "\r" + ` , [3 , 4 ] ,{"k" : "a,]\"b"} , "x\"],y" ], "cr": "\r", "$d": 1, "_u": 2, "m": 3, "s": 1,
	"long": "` + strings.Repeat("a", 41) + `", "wide": "` + strings.Repeat("a", 39) + `éa", "fits": "` +
		strings.Repeat("a", 40) + `"}`
	for _, src := range []string{
		// Numbers of elements, and numbers.
		`a.5 == 9`, `b[0].1 == 2`, `b.0.1 == 2`, `.5 < 1`, `1 > .5`, `(.5) < 1`, `[.5] == [0.5]`, `1e3 == 1000`,
		`1E+3 == 1000`, `1e-3 == 0.001`,
		`1_000 == 1000`, `1.5e1 == 15`, `0.25 == .25`,
		// Whitespace.
		"a\t.\n0\r== 0", "  m == 3  ",
		// Lists, in every notation.
		`len(l) == 5`, `l contains 2`, `l contains [3, 4]`, `l contains "x\"],y"`, `l[3].k == "a,]\"b"`, `l not contains 4`,
		// Texts.
		`cr == "\r"`, `"\/" == "/"`, `"\u00e9" == "é"`, `'it\'s' == "it's"`, `"\\" != "/"`,
		// Names and subtraction.
		`$d == 1 && _u == 2`, `m- s == 2`, `m -s == 2`, `m - s == 2`, `m -1 == 2`, `--m == 3`, `- -3 == 3`, `+m == 3`,
		// Words.
		`long not startsWith "b"`, `long not endsWith "b"`, `!(m > 9)`, `!(m > 9) == true`, `!(m > 9) != false`,
		`null == null`, `nil == nothing`,
		`min(1, 2, 3, 4, 5, 6, 7, 8) == 1`, `max(1, 2, 3, 4, 5, 6, 7, 8) == 8`, `min(2, 1.5) == 1.5 && max(2, 2.5) == 2.5`,
		`abs(-2) == 2 && abs(0) == 0 && abs(-0.5) == 0.5`, `[] == []`, `len([]) == 0`,
		// Numbers just within the limits.
		`123456789012345678 == 123456789012345678.0`, `1234567890123456789 == 1234567890123456789.0`,
		`1234567890123456789 > 1234567890123456788`,
		`1e2499 * 0 == 0`, `1e-2501 * 0 == 0`, strings.Repeat("9", 1900) + ` * 0 == 0`,
		`1e1233 * 1e1233 > 0`, `1e-1233 * 1e-1233 > 0`,
		`1/3 < 1e2500`, `1/3 < 1e2499`, `1/3 > -1e2500`, `1/3 > 1e-2502`, `-1/3 < 1e-2502`, `1e-2502 < 1/3`, `1e2500 > 1/3`,
		`-1e2500 < 1/3`, `-1e2500 < -1/3`,
		`1/3 > 0e9999`, `1/3 + 2/3 == 1`, `3037000500 * 3037000500 == 9223372037000250000`,
	} {
		if ok, err := compile(t, src).Test(in(doc)); !ok || err != nil {
			t.Errorf("%.60s: %v, %v", src, ok, err)
		}
	}
	for src, want := range map[string]string{
		`1e2500 * 0 == 0`:       "too long to calculate with",
		`1e-2502 * 0 == 0`:      "too long to calculate with",
		`1e1233 * 1e1234 > 0`:   "the result is too large",
		`1e-1233 * 1e-1234 > 0`: "the result is too large",
		`7 % 0 == 0`:            "division by zero",
		`7 % 0.5 == 0`:          "% needs whole numbers",
		`0.5 % 7 == 0`:          "% needs whole numbers",
		`1/3 > "x"`:             `cannot compare the number 1/3 with the text "x"`,
		`0.50 > "x"`:            `cannot compare the number 0.50 with the text "x"`,
		`7 > "x"`:               `cannot compare the number 7 with the text "x"`,
		`long > 3`:              `cannot compare the text "` + strings.Repeat("a", 40) + `…" with`,
		`fits > 3`:              `cannot compare the text "` + strings.Repeat("a", 40) + `" with`,
		`wide > 3`:              `cannot compare the text "` + strings.Repeat("a", 39) + `…" with`,
		`0.` + strings.Repeat("1", 70) + ` > "x"`: `cannot compare the number 0.` + strings.Repeat("1", 38) + `… with`,
	} {
		if _, err := compile(t, src).Test(in(doc)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v", src, err)
		}
	}
}

func TestSourceThatIsWrongToo(t *testing.T) {
	for src, want := range map[string]string{
		`1e > 3`:                       "1e is neither a number nor a name",
		`1_ > 3`:                       "1_ is neither a number nor a name",
		`"\u00e"`:                      "unknown escape",
		`"\u00zz"`:                     "unknown escape",
		`a o b`:                        "expected an operator such as && or == before o",
		`a OR b`:                       "did you mean or?",
		`a an b`:                       "did you mean and?",
		`a nt b`:                       "did you mean not?",
		`a startWith "b"`:              "did you mean startsWith?",
		`a ` + strings.Repeat("x", 33): "expected an operator such as && or == before " + strings.Repeat("x", 33),
		`a between 3`:                  "between is not an operator; write x >= 1 && x <= 5",
		`a not b`:                      "expected an operator such as && or == before not",
		`!a in [1]`:                    "! belongs to the left side only here; write !(… in …)",
		`a == 1 == 2`:                  "comparisons do not chain; write a == b && b == c",
		`a.size() > 1`:                 "write .length without brackets",
		`a.count() > 1`:                "write .length without brackets",
		`a.includes("x")`:              `write x contains "y" instead of x.includes("y")`,
		`a.has("x")`:                   `write x contains "y" instead of x.has("y")`,
		`a.endsWith("x")`:              `write x endsWith "y" instead of x.endsWith("y")`,
		`a.endswith("x")`:              `write x endsWith "y" instead of x.endswith("y")`,
		`a.matches("x")`:               `write x matches "y" instead of x.matches("y")`,
		`a.lower() == "b"`:             "write lower(x)",
		`a.upper() == "b"`:             "write upper(x)",
		`size(a) > 1`:                  "size is not a function; did you mean len?",
		`toLower(a) == "b"`:            "toLower is not a function; did you mean lower?",
		`Lower(a) == "b"`:              "Lower is not a function; did you mean lower?",
		`uuid() == "b"`: "uuid is not supported: a condition gives the same answer for " +
			"the same data at any time",
		`includes(a, "b")`:           "includes is not a function; write contains between two values",
		`min(1,2,3,4,5,6,7,8,9) > 1`: "min takes 1 to 8 values, not 9",
		`abs(1, 2) > 1`:              "abs takes 1 to 1 values, not 2",
		`[1 2] == a`:                 "] or a comma is missing",
		`len(a > 1`:                  ") or a comma is missing",
		`a[0 > 1`:                    "] is missing",
		`a]`:                         "unexpected ]",
		`[1].length > 1`:             "write len(…) for the length of anything but a field",
		`a[2147483648] > 1`:          "an index is 0, 1, 2, …",
		`a matches "(`:               "no closing \"",
		`a matches "[z-a]"`:          "invalid pattern",
	} {
		if _, err := expr.Compile(src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s:\n got %v\nwant %s", src, err, want)
		}
	}
	if _, err := expr.Compile(`a[2147483647] > 1`); err != nil {
		t.Error(err)
	}
	// A source is quoted in full up to 80 bytes.
	for n, want := range map[int]string{80: strings.Repeat("a", 76) + " = 3", 81: strings.Repeat("a", 77) + " = …"} {
		src := strings.Repeat("a", n-4) + " = 3"
		if _, err := expr.Compile(src); err == nil || !strings.Contains(err.Error(), "expression "+want+": ") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestLongestText(t *testing.T) {
	doc := fmt.Sprintf(`{"t": %q}`, strings.Repeat("x", 1<<20-1))
	if ok, err := compile(t, `t + "y" endsWith "xy"`).Test(in(doc)); !ok || err != nil {
		t.Error(ok, err)
	}
	if _, err := compile(t, `t + "yy" endsWith "yy"`).Test(in(doc)); err == nil ||
		!strings.Contains(err.Error(), "longer than 1048576 bytes") {
		t.Error(err)
	}
}

func TestComparisonsThereAre(t *testing.T) {
	for operator, known := range map[string]bool{
		"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true, "in": true, "contains": true,
		"startsWith": true, "endsWith": true,
		"not in": true, "not contains": true, "not ==": false, "not startsWith": false, "matches": false,
		"not matches": false, "not": false, "": false,
	} {
		if _, err := expr.NewComparison(operator, []byte(`"a"`)); (err == nil) != known {
			t.Errorf("%q: %v", operator, err)
		}
	}
	if _, err := expr.NewComparison("<", []byte(`1e99999999999999999999`)); err == nil {
		t.Error("a number that cannot be compared is taken")
	}
	for _, c := range []struct {
		operator, left, right string
		want                  bool
	}{
		{"<", `1`, `2`, true}, {"<", `2`, `2`, false}, {"<=", `2`, `2`, true}, {"<=", `3`, `2`, false},
		{">", `2`, `2`, false}, {">=", `2`, `2`, true}, {">=", `1`, `2`, false}, {"not contains", `["a"]`, `"a"`, false},
		{"==", `null`, `null`, true}, {"!=", `null`, `null`, false}, {"!=", `1`, `null`, true},
		{"in", `null`, `[null]`, true},
	} {
		if got, err := expr.Compare(budget(), c.operator, []byte(c.left), []byte(c.right)); err != nil || got != c.want {
			t.Errorf("%s %s %s: %v, %v", c.left, c.operator, c.right, got, err)
		}
	}
}

// Conditions on many fields are evaluated like those on few.
func TestWeighManyFields(t *testing.T) {
	for many := 7; many <= 10; many++ {
		var parts []string
		for i := range many {
			parts = append(parts, fmt.Sprintf("f%d == 1", i))
		}
		p := compile(t, strings.Join(parts, " && "))
		for last, want := range map[int]expr.Truth{1: expr.True, 2: expr.False} {
			var members []string
			for i := range many - 1 {
				members = append(members, fmt.Sprintf(`"f%d":1`, i))
			}
			members = append(members, fmt.Sprintf(`"f%d":%d`, many-1, last))
			if got := p.Weigh(budget(), in("{"+strings.Join(members, ",")+"}")); got.Truth != want {
				t.Errorf("%d fields, the last is %d: %+v", many, last, got)
			}
		}
	}
}

// A list that another one begins with is not that list, whatever follows.
func TestListsOfDifferentLength(t *testing.T) {
	for _, data := range []string{`{"a": [1], "b": [1, null]}`, `{"a": [], "b": [null]}`, `{"a": [1], "b": [1, 2]}`,
		`{"a": [], "b": [[]]}`} {
		for _, src := range []string{`a == b`, `b == a`} {
			if ok, err := compile(t, src).Test(in(data)); ok || err != nil {
				t.Errorf("%s with %s: %t, %v", src, data, ok, err)
			}
		}
	}
}

// A condition may use more fields than are kept on the stack.
func TestManyFields(t *testing.T) {
	for _, n := range []int{7, 8, 9, 20} {
		var fields, terms []string
		for i := range n {
			fields = append(fields, fmt.Sprintf(`"f%d": %d`, i, i))
			terms = append(terms, fmt.Sprintf("f%d == %d", i, i))
		}
		p, data := compile(t, strings.Join(terms, " and ")), in("{"+strings.Join(fields, ",")+"}")
		ok, err := p.Test(data)
		budget := expr.Budget
		if w := p.Weigh(&budget, data); !ok || err != nil || w.Truth != expr.True {
			t.Errorf("%d fields: %t, %v, %+v", n, ok, err, w)
		}
	}
}

// Reading a value is charged to the budget it shares with the comparisons.
func TestReadingIsCharged(t *testing.T) {
	budget := expr.Budget
	expr.Read(&budget, []byte(`"abcd"`))
	if got := expr.Budget - budget; got != 12 {
		t.Errorf("it cost %d", got)
	}
}

// A list equals no value of another kind, an empty one included.
func TestListsEqualOnlyLists(t *testing.T) {
	for _, other := range []string{`{}`, `0`, `""`, `false`, `null`} {
		for _, src := range []string{`a == b`, `b == a`} {
			if ok, err := compile(t, src).Test(in(`{"a": [], "b": ` + other + `}`)); ok || err != nil {
				t.Errorf("%s with %s: %t, %v", src, other, ok, err)
			}
		}
	}
}

// Weighing a condition costs as much as testing it.
func TestWeighingIsCharged(t *testing.T) {
	tested, weighed := expr.Budget, expr.Budget
	p := compile(t, `t == "abcd" and n > 5`)
	if _, err := p.TestWithin(&tested, in(costed)); err != nil {
		t.Fatal(err)
	}
	if p.Weigh(&weighed, in(costed)); weighed != tested || weighed == expr.Budget {
		t.Errorf("%d, not %d", expr.Budget-weighed, expr.Budget-tested)
	}
}
