package spool

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/seal"
)

var key = run.Key{Run: "run_01", Kind: run.KeyStep, Step: "pay", Index: -1, Try: 2}

var report = run.Complete{Key: key, Result: run.Result{Output: json.RawMessage(`{"paid":1E400,"note":"<planted>"}`)}}

// keys returns encryption keys.
func keys(t testing.TB, n int) (out []seal.Key) {
	t.Helper()
	for range n {
		k, err := seal.ParseKey(seal.NewKey())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, k)
	}
	return out
}

// opened opens the spool of a directory, and what it logs.
func opened(t testing.TB, dir string, keys ...seal.Key) (*Spool, *bytes.Buffer) {
	t.Helper()
	var said bytes.Buffer
	s, err := Open(dir, keys, slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s, &said
}

// file is the only file of a spool.
func file(t testing.TB, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v: %v", files, err)
	}
	return files[0]
}

func TestResultsOutliveTheProcess(t *testing.T) {
	two := keys(t, 2)
	for name, c := range map[string]struct{ before, after []seal.Key }{
		"plain": {}, "encrypted": {two[:1], two[:1]}, "with a new key": {two[:1], []seal.Key{two[1], two[0]}},
		"encrypted from now on": {nil, two},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "held")
			s, _ := opened(t, dir, c.before...)
			for range 2 { // again, in its place
				if err := s.Keep(report); err != nil {
					t.Fatal(err)
				}
			}
			info, err := os.Stat(file(t, dir))
			if err != nil || info.Mode() != 0o600 {
				t.Errorf("%v %v", info.Mode(), err)
			}
			b, err := os.ReadFile(file(t, dir))
			if err != nil || bytes.Contains(b, []byte("planted")) != (len(c.before) == 0) {
				t.Errorf("the file holds %q (%v)", b, err)
			}
			s, said := opened(t, dir, c.after...)
			kept := maps.Collect(s.Kept())
			if !reflect.DeepEqual(kept, map[run.Key]run.Operation{key: report}) || s.Count() != 1 {
				t.Fatalf("kept %v; %s", kept, said)
			}
			s.Drop(key)
			s.Drop(key)
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 || s.Count() != 0 || s.bytes != 0 {
				t.Errorf("left: %v, %d, %d bytes: %v", left, s.Count(), s.bytes, err)
			}
		})
	}
}

// Every field of every report comes back: one without a name in JSON would be lost.
func TestWholeReports(t *testing.T) {
	for kind, typ := range kinds {
		v := reflect.New(typ).Elem()
		fill(t, v, 0)
		v.FieldByName("Key").Set(reflect.ValueOf(key))
		report := v.Interface().(run.Operation)
		dir := t.TempDir()
		s, said := opened(t, dir)
		if err := s.Keep(report); err != nil {
			t.Fatal(err)
		}
		if got := maps.Collect(s.Kept())[key]; !reflect.DeepEqual(got, report) {
			t.Errorf("%s:\n%#v, want\n%#v\n%s", kind, got, report, said)
		}
	}
	s, _ := opened(t, t.TempDir())
	if err := s.Keep(run.EndChild{Key: key}); err != nil || s.Count() != 0 {
		t.Errorf("the end of a sub-run is in the store, and was kept as well: %v", err)
	}
}

// fill sets every field to something that is not its zero value.
func fill(t *testing.T, v reflect.Value, depth int) {
	t.Helper()
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"a":[1,"<"]}`))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && v.Type().Field(i).Tag.Get("json") != "-" {
				fill(t, f, depth+1)
			}
		}
	case depth > 6:
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), depth+1)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), depth+1)
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		elem := reflect.New(v.Type().Elem()).Elem()
		fill(t, elem, depth+1)
		v.SetMapIndex(reflect.ValueOf("name").Convert(v.Type().Key()), elem)
	case v.CanInt() && v.Kind() != reflect.Uint8:
		v.SetInt(1_000_000_000)
	case v.CanFloat():
		v.SetFloat(0.5)
	case v.Kind() == reflect.String:
		v.SetString("text")
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	}
}

// A file that cannot be used is left, with a line in the log, and does not hide the others.
func TestFilesThatCannotBeUsed(t *testing.T) {
	key1 := keys(t, 1)
	dir := t.TempDir()
	s, _ := opened(t, dir, key1...)
	if err := s.Keep(report); err != nil {
		t.Fatal(err)
	}
	sealed, err := os.ReadFile(file(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(file(t, dir))
	for what, c := range map[string]struct {
		name, content, says string
		keys                []seal.Key
	}{
		"empty":         {name, "", "not a result", key1},
		"of others":     {"shopping.result", "milk\n", "not a result", key1},
		"cut":           {name, string(sealed[:len(sealed)-1]), "damaged", key1},
		"flipped":       {name, strings.Replace(string(sealed), "\n\x00asl", "\n\x00asm", 1), "damaged", key1},
		"of the future": {name, strings.Replace(string(sealed), `"version":1`, `"version":2`, 1), "version 2", key1},
		"moved": {nameOf(run.Key{Run: "run_02", Kind: run.KeyStep, Index: -1}), string(sealed),
			"moved there", key1},
		"without its key": {name, string(sealed), "encryption key", nil},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, c.name)
			other := run.Fail{Key: run.Key{Run: "run_09", Kind: run.KeyStep, Index: -1}, Failure: run.Failure{Message: "no"}}
			s, _ := opened(t, dir, c.keys...)
			if err := errors.Join(s.Keep(other), os.WriteFile(path, []byte(c.content), 0o600)); err != nil {
				t.Fatal(err)
			}
			s, said := opened(t, dir, c.keys...)
			kept := maps.Collect(s.Kept())
			if !reflect.DeepEqual(kept, map[run.Key]run.Operation{other.Key: other}) {
				t.Errorf("kept %v", kept)
			}
			if !strings.Contains(said.String(), c.says) || !strings.Contains(said.String(), c.name) {
				t.Errorf("logged %s", said)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != c.content {
				t.Errorf("the file became %q: %v", b, err)
			}
		})
	}
}

// Links, directories and unfinished files are no results, and a spool never leaves its directory.
func TestOnlyFilesCount(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	s, _ := opened(t, outside)
	if err := s.Keep(report); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(file(t, outside))
	unfinishedFile := filepath.Join(dir, "abc"+suffix+".X"+unfinished)
	if err := errors.Join(os.Symlink(file(t, outside), filepath.Join(dir, name)),
		os.Mkdir(filepath.Join(dir, "d"+suffix), 0o700),
		os.WriteFile(unfinishedFile, []byte("{"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s, said := opened(t, dir)
	if kept := maps.Collect(s.Kept()); len(kept) != 0 || s.Count() != 0 {
		t.Errorf("kept %v: %s", kept, said)
	}
	if _, err := os.Stat(unfinishedFile); err == nil {
		t.Error("an unfinished file is left")
	}
	if err := s.Keep(report); err != nil { // in place of the link
		t.Fatal(err)
	}
	if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestSpoolsAreBounded(t *testing.T) {
	s, _ := opened(t, t.TempDir())
	s.note("large"+suffix, BytesMax-100)
	if err := s.Keep(report); !errors.Is(err, ErrFull) {
		t.Errorf("too many bytes: %v", err)
	}
	s.note("large"+suffix, 0)
	for i := range FilesMax {
		s.note(strings.Repeat("x", i), 1)
	}
	if err := s.Keep(report); !errors.Is(err, ErrFull) {
		t.Errorf("too many files: %v", err)
	}
	s.note("", 0)
	if err := errors.Join(s.Keep(report), s.Keep(report)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}

func TestDirectoriesThatCannotBeUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, nil, slog.Default()); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file as directory: %v", err)
	}
}

// FuzzDecode: no file panics, and what is read can be kept again.
func FuzzDecode(f *testing.F) {
	s, _ := opened(f, f.TempDir())
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		v := reflect.New(kinds[kind]).Elem()
		v.FieldByName("Key").Set(reflect.ValueOf(key))
		b, err := s.encode(nameOf(key), kind, v.Interface().(run.Operation))
		if err != nil {
			f.Fatal(err)
		}
		_, body, _ := bytes.Cut(b, []byte("\n"))
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		head := `{"format":"assent result","version":1,"sum":"` + sumOf(body) + "\"}\n"
		_, again, err := Decode(nameOf(key), append([]byte(head), body...), nil)
		if err != nil {
			return
		}
		if keyOf(again) != key {
			t.Errorf("read %v", again)
		}
		if _, err := s.encode(nameOf(key), kindOf(again), again); err != nil {
			t.Error(err)
		}
	})
}

// Two processes may use one directory: neither loses or spoils what the other writes, and nothing unfinished is left.
func TestTwoProcessesWithOneDirectory(t *testing.T) {
	dir := t.TempDir()
	one, _ := opened(t, dir)
	two, _ := opened(t, dir)
	long := report
	long.Result.Output = json.RawMessage(`"` + strings.Repeat("paid ", 100_000) + `"`)
	var work sync.WaitGroup
	for _, s := range []*Spool{one, two} {
		work.Go(func() {
			for i := range 30 {
				if err := s.Keep([]run.Complete{report, long}[i%2]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Go(func() {
		for range 30 { // a start that takes unfinished files for those of a crash
			if _, err := Open(dir, nil, slog.Default()); err != nil {
				t.Error(err)
			}
		}
	})
	work.Wait()
	third, said := opened(t, dir)
	kept := maps.Collect(third.Kept())
	if got := kept[key]; len(kept) != 1 || !reflect.DeepEqual(got, report) && !reflect.DeepEqual(got, long) {
		t.Errorf("%d kept; %s", len(kept), said)
	}
	file(t, dir)
	third.Drop(key)
	one.Drop(key)
	two.Drop(key)
	if one.Count()+two.Count()+third.Count() != 0 {
		t.Errorf("%d, %d and %d are counted", one.Count(), two.Count(), third.Count())
	}
}

// How many results are held is known while the disk does not answer.
func TestCountsWhileItWrites(t *testing.T) {
	s, _ := opened(t, t.TempDir())
	if err := s.Keep(report); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock() // as Keep and Drop hold it while they wait for a disk
	defer s.mu.Unlock()
	if n := s.Count(); n != 1 {
		t.Errorf("%d results are counted", n)
	}
}
