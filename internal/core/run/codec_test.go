package run_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
)

func TestEveryFactReadsBack(t *testing.T) {
	names := run.Types()
	slices.Sort(names)
	for _, name := range names {
		f, err := run.DecodeFact(name, json.RawMessage(`{}`))
		if err != nil || f.Type() != name {
			t.Errorf("%s reads back as %v: %v", name, f, err)
			continue
		}
		if strings.Count(name, ".") != 1 || name != strings.ToLower(name) {
			t.Errorf("%q is not a dotted name", name)
		}
		if _, err := run.EncodeFact(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnknownFactIsRefused(t *testing.T) {
	var e run.Event
	err := json.Unmarshal([]byte(`{"run":"r","seq":1,"type":"run.teleported","data":{}}`), &e)
	if err == nil || !strings.Contains(err.Error(), "newer") {
		t.Error(err)
	}
}

func TestKeys(t *testing.T) {
	for _, k := range []run.Key{
		{Run: "run_1", Kind: run.KeyStep, Step: "a-b_c", Index: -1, Rev: 2, Try: 3},
		{Run: "run_1.2", Kind: run.KeyStep, Step: "m", Index: 0, Try: 1},
		{Run: "run_1", Kind: run.KeyTurn, Step: "l", Index: 12, Rev: 1, N: 7, Try: 1},
		{Run: "run_1", Kind: run.KeyReplan, Index: -1, N: 1, Try: 1},
	} {
		got, err := run.ParseKey(k.String())
		if err != nil || got != k {
			t.Errorf("%s reads back as %+v: %v", k, got, err)
		}
		other := k
		other.Try++
		if other.Work() != k.Work() || other.String() == k.String() {
			t.Errorf("tries of %s are not tries of one piece of work", k)
		}
	}
	for _, s := range []string{"", "a/b", "run/step/a", "run/step/a#1", "run/step/a#x~1", "run/step/a[-1]#0~1",
		"run/step/a[1#0~1", "run/turn/a#0~1", "run/step/a#01~1"} {
		if k, err := run.ParseKey(s); err == nil {
			t.Errorf("%q reads as %+v", s, k)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add("run_1/call/a[3]#2.7~1")
	f.Fuzz(func(t *testing.T, s string) {
		if k, err := run.ParseKey(s); err == nil && k.String() != s {
			t.Errorf("%q reads as %q", s, k)
		}
	})
}
