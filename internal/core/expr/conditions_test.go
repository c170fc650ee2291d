package expr_test

import (
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/expr"
)

// TestNotIsNoNesting: siblings do not add to the depth.
func TestNotIsNoNesting(t *testing.T) {
	for one, want := range map[string]bool{"not vip": false, "!vip": false, "(vip)": true, "-1 < 0": true} {
		src := one + strings.Repeat(" or "+one, expr.DepthMax+10)
		if got, err := compile(t, src).Test(in(claim)); err != nil || got != want {
			t.Errorf("%s …: %v, %v", one, got, err)
		}
	}
}

func TestMoreConditions(t *testing.T) {
	for src, want := range map[string]bool{
		// Null, in every comparison.
		`note == null`: true, `note != null`: false, `nested.nothing == null`: true, `(note) == null`: true,
		`risk == null`:        false,
		`upper(risk) == null`: false, `amount + 1 == null`: false, `amount + 1 != null`: true,
		// Texts and numbers at their limits.
		`-9223372036854775808 + 0 == -9223372036854775808`: true, `0 - -9223372036854775808 > 0`: true,
		`9223372036854775807 + 1 > 9223372036854775807`: true, `-9223372036854775808 - 1 < -9223372036854775808`: true,
		`9223372036854775807 * 2 > 9223372036854775807`: true, `"a" + "b" == "ab"`: true, `"" + "" == ""`: true,
		`-9223372036854775807 + 5 < 0`: true, `9223372036854775807 + -5 > 0`: true, `-9223372036854775807 - 5 < 0`: true,
		`-(1/3) < 0`: true, `abs(-(1/3)) * 3 == 1`: true, `-(-(1/3)) > 0`: true, `abs(zero) == 0`: true,
		`abs(minus) == 3`: true,
		// Lists and objects, member by member.
		`mixed[4] == [1, 2]`: true, `mixed[4] == [1]`: false, `mixed[4] == [1, 2, 3]`: false, `mixed[4] == [2, 1]`: false,
		`[1, [2]] == [1, [2]]`: true, `[1, [2]] == [1, [3]]`: false, `[] == empty`: true, `[null] == empty`: false,
		`[1, "1"] contains "1"`: true, `["caf\u00e9"] == ["café"]`: true, `tags contains "café"`: true,
		"`in` == 7": true, "nested.`odd-name` == 1": true, "nested.`two words` == 2": true,
	} {
		if got, err := compile(t, src).Test(in(claim)); err != nil || got != want {
			t.Errorf("%s: %v, %v", src, got, err)
		}
	}
	for _, src := range []string{"``", "nested.``", "`x", "nested.`x", `"a" "b"`, "a b", "`a` b", `a "b"`} {
		if _, err := expr.Compile(src); err == nil {
			t.Errorf("%s can be read", src)
		}
	}
	for _, src := range []string{`"b" - "a" == 1`, `"a" * 2 == 2`, `1 + "a" == 2`, `"a" + 1 == 2`, `true + true == 2`} {
		if got, err := compile(t, src).Test(in(claim)); err == nil {
			t.Errorf("%s is %v", src, got)
		}
	}
}
