package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// fates runs the tool on a package with one function for each fate.
func fates(t *testing.T, args ...string) (string, error) {
	t.Helper()
	sample, err := txtar.ParseFile(filepath.Join("testdata", "rule.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(sample, dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var out bytes.Buffer
	err = execute(t.Context(), append(args, "-cpu", "-timeout", "1s", "-memory", "256", "-v", "rule"), &out, io.Discard)
	return out.String(), err
}

func TestFates(t *testing.T) {
	out, err := fates(t)
	for _, want := range []string{
		"killed rule/rule.go Check: amount > limit => amount >= limit (line 13) by TestCheck\n",
		"killed rule/rule.go Check: amount > limit => amount <= limit (line 13) by TestCheck\n",
		"killed rule/rule.go Check: return ErrTooMuch => return nil (line 14) by TestCheck\n",
		"timed out rule/rule.go Halves: n > 0 => n >= 0 (line 21) by TestHalves\n",
		"timed out rule/rule.go Halves: n = n / 2 => (left out) (line 22) by TestHalves\n",
		"killed rule/rule.go Halves: times++ => times-- (line 23) by TestHalves\n",
		"out of memory rule/rule.go Digits: n > 0 => n >= 0 (line 30) by TestDigits\n",
		"out of memory rule/rule.go Digits: n = n / 10 => (left out) (line 32) by TestDigits\n",
		"timed out rule/rule.go Ask: question != \"\" => question == \"\" (line 40) by TestAsk\n",
		"SURVIVED rule/rule.go Both: a && b => a || b (line 52)\n",
		"UNREACHED rule/rule.go Unused: ok => !(ok) (line 74)\n",
		"UNREACHED rule/rule.go Unused: return true => return false (line 75)\n",
		"UNREACHED rule/rule.go Unused: return false => return true (line 77)\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "4 mutants survived without a reason") {
		t.Errorf("got %v", err)
	}
	if t.Failed() {
		t.Log(out)
	}
}

func TestExhaustedMemoryIsRecognised(t *testing.T) {
	for out, want := range map[string]bool{
		"fatal error: runtime: out of memory\n\nruntime stack:\n":                                           true,
		"runtime: cannot allocate memory in persistentalloc\nfatal error: x\n":                              true,
		"SIGSEGV: segmentation violation\nPC=0x48f2a1 m=3 sigcode=1 addr=0x10\n":                            true,
		"panic: runtime error: invalid memory address\n[signal SIGSEGV: segmentation violation code=0x1]\n": false,
		"--- FAIL: TestDigits (0.00s)\n    rule_test.go:9: got 3 digits\n":                                  false,
	} {
		if got := outOfMemory.MatchString(out); got != want {
			t.Errorf("%q: got %v", out, got)
		}
	}
}

func TestReasons(t *testing.T) {
	list := filepath.Join(t.TempDir(), "survivors.txt")
	if err := os.WriteFile(list, []byte(`# Known.
rule/rule.go Both: a && b => a || b
	the test looks away
	on purpose
`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := fates(t, "-known", list, "-only", "Both:")
	want := "explained rule/rule.go Both: a && b => a || b (line 52): the test looks away on purpose\n"
	if err != nil || !strings.Contains(out, want) {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.HasSuffix(out, "| `rule` | 19 | 1 | 0 | 0 | 1 | 0 | 0 | 0.0 % |\n") {
		t.Error("the table is wrong:\n" + out)
	}
}

func TestListIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a.go f: x => y\n":                           "has no reason",
		"a.go f: x => y\nb.go f: x => y\n\tbecause":  "has no reason",
		"\tbecause\n":                                "without a mutant",
		"a.go f: x => y\n\tno\na.go f: x => y\n\tno": "listed twice",
	} {
		list := filepath.Join(t.TempDir(), "survivors.txt")
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readKnown(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestListIsInForce fails when the code of a listed survivor has changed.
func TestListIsInForce(t *testing.T) {
	t.Chdir("..")
	known, err := readKnown(filepath.Join("mutate", "survivors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	left := map[string][]string{}
	for name := range known.reasons {
		file, _, _ := strings.Cut(name, " ")
		left[filepath.ToSlash(filepath.Dir(file))] = append(left[filepath.ToSlash(filepath.Dir(file))], name)
	}
	for dir, names := range left {
		if !slices.Contains(targets, dir) {
			t.Errorf("%s is not a package that is mutated", dir)
			continue
		}
		pkg, err := load(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		for _, m := range pkg.find() {
			there[m.name()] = true
		}
		for _, name := range names {
			if !there[name] {
				t.Errorf("survivors.txt explains what is not in the code: %s", name)
			}
		}
	}
}

func TestSampleIsRepeatable(t *testing.T) {
	var mutants []mutant
	for i := range 100 {
		mutants = append(mutants, mutant{id: i, file: &source{name: "a.go"}})
	}
	ids := func(seed uint64) (out []int) {
		for _, m := range choose(mutants, options{sample: 10, seed: seed}) {
			out = append(out, m.id)
		}
		return out
	}
	first, again, other := ids(1), ids(1), ids(2)
	if len(first) != 10 || !slices.IsSorted(first) || !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("got %v, then %v, with another seed %v", first, again, other)
	}
}
