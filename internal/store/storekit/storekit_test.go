package storekit

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

func TestMigrationsAreNumbered(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("SELECT 1")}
	good := fstest.MapFS{"m/00001_a.sql": file, "m/00002_b.sql": file}
	steps, err := Migrations(good, "m")
	if err != nil || len(steps) != 2 || steps[1].Number != 2 {
		t.Fatalf("got %v, %v", steps, err)
	}
	for version, want := range map[int]int{0: 2, 1: 1, 2: 0} {
		if todo, err := Pending(steps, version); err != nil || len(todo) != want {
			t.Errorf("at %d: %d to do, %v", version, len(todo), err)
		}
	}
	for _, version := range []int{-1, 3} {
		if _, err := Pending(steps, version); err == nil {
			t.Errorf("schema %d was taken", version)
		}
	}
	for _, bad := range []fstest.MapFS{
		{"m/00001_a.sql": file, "m/00003_b.sql": file}, {"m/1_a.sql": file}, {"m/00001.sql": file}, {"m/00001": file},
		{"m/00001_a.sql": file, "m/0x002_b.sql": file},
	} {
		if _, err := Migrations(bad, "m"); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestAGapInTheMigrations(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("SELECT 1")}
	_, err := Migrations(fstest.MapFS{"m/00001_a.sql": file, "m/00003_b.sql": file}, "m")
	if err == nil || !strings.Contains(err.Error(), "00003_b.sql: want number 00002") {
		t.Errorf("got %v", err)
	}
}

func TestTextIsSafeEverywhere(t *testing.T) {
	for _, s := range []string{"", "plain", "\x00", "a\xffb", strings.Repeat("é", TextMax),
		strings.Repeat("\x00", TextMax), strings.Repeat("\xff", TextMax), strings.Repeat("x", TextMax)} {
		got := Text(s)
		if len(got) > TextMax || strings.Contains(got, "\x00") || !utf8.ValidString(got) {
			t.Errorf("%.10q became %d bytes, %.10q", s, len(got), got)
		}
		if Text(got) != got {
			t.Errorf("%.10q is not stable", s)
		}
	}
	if s := strings.Repeat("x", TextMax); Text(s) != s || Text(s+"x") == s+"x" {
		t.Error("the limit is elsewhere")
	}
}

func TestTimesComeBack(t *testing.T) {
	for _, at := range []time.Time{{}, time.Unix(0, 1).UTC(), time.Unix(1_800_000_000, 123456789).UTC(), latest} {
		if got := Time(Nanos(at)); !got.Equal(at) || got.IsZero() != at.IsZero() {
			t.Errorf("%v became %v", at, got)
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(Cursor{List: RunList, A: 5, B: -7, ID: "run_1"}.String())
	f.Add("e30")
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCursor(s, RunList)
		if err != nil || c == nil {
			return
		}
		again, err := ParseCursor(c.String(), RunList)
		if err != nil || *again != *c {
			t.Fatalf("%q became %+v and then %+v, %v", s, c, again, err)
		}
	})
}

// FuzzBatch: a damaged batch is an error, never a panic and never different events.
func FuzzBatch(f *testing.F) {
	events := []run.Event{
		{Run: "r", Seq: 1, At: time.Unix(5, 6).UTC(), Actor: run.Actor{Kind: run.Person, Name: "a\nb"}, Cause: "c",
			Fact: &run.RunCompleted{Output: []byte(`"\ud800"`)}},
		{Run: "r", Seq: 2, At: time.Unix(7, 8).UTC(), Actor: run.Actor{Kind: run.System}, Fact: &run.RunWaiting{}},
	}
	body, err := EncodeBatch(events)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body, int64(2), int64(2), int64(0))
	f.Add(body[:len(body)-1], int64(2), int64(2), int64(1))
	f.Fuzz(func(t *testing.T, body []byte, count, last, after int64) {
		b := Batch{Run: "r", LastSeq: last, LastFeed: last, Count: min(count, 1000), Body: body}
		records, _, err := b.Records(nil, after, after, nil, 10)
		if err != nil {
			return
		}
		for _, r := range records {
			if r.Seq <= after || r.Run != "r" || r.Fact == nil {
				t.Fatalf("behind %d came %+v", after, r)
			}
		}
	})
}

func TestBatchComesBack(t *testing.T) {
	events := []run.Event{{Run: "r", Seq: 7, At: time.Unix(5, 6).UTC(),
		Actor: run.Actor{Kind: run.Person, Name: "\u2028\"\\"}, Cause: "é", Fact: &run.RunCompleted{Output: []byte(`1E400`)}}}
	body, err := EncodeBatch(events)
	if err != nil {
		t.Fatal(err)
	}
	records, at, err := Batch{Run: "r", LastSeq: 7, LastFeed: 9, Count: 1, Body: body}.Records(nil, 0, 0, nil, 10)
	if err != nil || at != 9 || len(records) != 1 {
		t.Fatalf("got %v, %d, %v", records, at, err)
	}
	got := records[0]
	if got.Event.Actor != events[0].Actor || got.Cause != "é" || !got.At.Equal(events[0].At) ||
		string(got.Fact.(*run.RunCompleted).Output) != "1E400" {
		t.Errorf("got %+v", got)
	}
	var none []port.Record
	if out, _, err := (Batch{Run: "r", LastSeq: 7, LastFeed: 9, Count: 2, Body: body}).Records(none, 0,
		0, nil, 10); err == nil {
		t.Errorf("a batch that ends early gave %v", out)
	}
}
