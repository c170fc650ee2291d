package run_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
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

// An event comes back as it was, with the bytes of its values. One that cannot be encoded is an error.
func TestEventsComeBack(t *testing.T) {
	e := run.Event{Run: "run_1", Seq: 3, At: time.Unix(1_800_000_000, 5).UTC(),
		Actor: run.Actor{Kind: run.Agent, Name: "x"},
		Cause: "cmd_1", Fact: &run.RunCompleted{Output: json.RawMessage(`{"n":1E400,"text":"<&>"}`)}}
	raw, err := value.Marshal(e)
	const want = `{"run":"run_1","seq":3,"at":"2027-01-15T08:00:00.000000005Z","type":"run.completed",` +
		`"actor":{"kind":"agent","name":"x"},"cause":"cmd_1","data":{"output":{"n":1E400,"text":"<&>"}}}`
	if err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
	var got run.Event
	if err := json.Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("%+v, %v", got, err)
	}
	e.Fact = &run.RunCompleted{Output: json.RawMessage(`{`)}
	if _, err := e.MarshalJSON(); err == nil {
		t.Error("a broken document was encoded")
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

// Keys are texts in JSON. What is not a key leaves none behind.
func TestKeysInJSON(t *testing.T) {
	want := run.Key{Run: "run_1", Kind: run.KeyCall, Step: "l", Index: 3, Rev: 2, N: 7, Try: 1}
	raw, err := json.Marshal(want)
	if err != nil || string(raw) != `"run_1/call/l[3]#2.7~1"` {
		t.Fatalf("%s, %v", raw, err)
	}
	var got run.Key
	if err := json.Unmarshal(raw, &got); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`"run_1/call/l#2~1"`), &got); err == nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestJitter: a delay depends on the key alone, to the nanosecond and in every release, because hosts of two releases
// work on one run. Delays of runs that failed together are spread over half of the full delay.
func TestJitter(t *testing.T) {
	hour := plan.RetryPolicy{Backoff: time.Hour, Factor: 1, MaxBackoff: time.Hour}
	for key, want := range map[string]time.Duration{
		"run_1/step/a#0~1": 2691346474677, "run_1/step/a#0~2": 2579352319941, "run_1/call/l[3]#2.7~1": 2476896255048,
	} {
		k, err := run.ParseKey(key)
		if got := k.Backoff(hour, run.Failure{}); err != nil || got != want {
			t.Errorf("%s waits %d ns, not %d, %v", key, got, want, err)
		}
	}
	var all []time.Duration
	for i := range 200 {
		k := run.Key{Run: "run_" + strconv.Itoa(i), Kind: run.KeyStep, Step: "a", Index: -1, Try: 1}
		all = append(all, k.Backoff(hour, run.Failure{}))
	}
	if least, most := slices.Min(all), slices.Max(all); least < 30*time.Minute || least > 31*time.Minute ||
		most < 59*time.Minute || most > time.Hour {
		t.Errorf("delays are from %s to %s", least, most)
	}
	k := run.Key{Run: "run_1", Kind: run.KeyStep, Step: "a", Index: -1, Try: 1}
	for asked, want := range map[time.Duration]time.Duration{0: 2691346474677, time.Minute: 2691346474677,
		time.Hour: time.Hour, time.Hour + 1: time.Hour} {
		if got := k.Backoff(hour, run.Failure{RetryAfter: quantity.Duration(asked)}); got != want {
			t.Errorf("asked to wait %s, it waits %s", asked, got)
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
