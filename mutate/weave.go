package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// insertion is text that goes before or after a piece of the source. Mutants are
// planted by insertions alone, so they nest.
type insertion struct {
	at    int
	close bool // ends a piece: innermost first
	size  int  // of the piece
	text  string
}

// weave writes every mutant into a copy of the package and returns the overlay
// that has go build take the copy.
func (l *loaded) weave(tmp string, mutants []mutant) (string, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, file := range l.files {
		woven := l.wovenText(file, mutants)
		copied := filepath.Join(tmp, filepath.Base(file.path))
		if err := os.WriteFile(copied, []byte(woven), 0o600); err != nil {
			return "", err
		}
		overlay.Replace[file.path] = copied
	}
	if len(l.files) == 0 {
		return "", fmt.Errorf("no Go files")
	}
	dir := filepath.Dir(l.files[0].path)
	switchFile := filepath.Join(tmp, "zz_mutant_switch.go")
	if err := os.WriteFile(switchFile, []byte(fmt.Sprintf(switchText, l.pkg.Name(), len(mutants)+1)), 0o600); err != nil {
		return "", err
	}
	overlay.Replace[filepath.Join(dir, "zz_mutant_switch.go")] = switchFile
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	path := filepath.Join(tmp, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}

// wovenText is the text of a file with all its mutants.
func (l *loaded) wovenText(file *source, mutants []mutant) string {
	var in []insertion
	for i := 0; i < len(mutants); {
		j := i + 1
		for j < len(mutants) && mutants[j].node == mutants[i].node {
			j++
		}
		if mutants[i].file == file {
			in = append(in, l.plant(mutants[i:j])...)
		}
		i = j
	}
	slices.SortStableFunc(in, func(a, b insertion) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		if a.close != b.close { // what ends here, ends before the next begins
			if a.close {
				return -1
			}
			return 1
		}
		if a.close {
			return cmp.Compare(a.size, b.size)
		}
		return cmp.Compare(b.size, a.size)
	})
	var b strings.Builder
	from := 0
	for _, i := range in {
		b.Write(file.text[from:i.at])
		b.WriteString(i.text)
		from = i.at
	}
	b.Write(file.text[from:])
	return b.String()
}

// plant wraps one node in its mutants. The text of a mutant is the plain source:
// only one mutant is on at a time.
func (l *loaded) plant(mutants []mutant) []insertion {
	node := mutants[0].node
	begin, end := l.fset.Position(node.Pos()).Offset, l.fset.Position(node.End()).Offset
	before, after := "", ""
	for _, m := range mutants {
		switch m.kind {
		case "drop":
			before, after = fmt.Sprintf("if !mutantOn(%d) { ", m.id), " }"
		case "step":
			before, after = fmt.Sprintf("if mutantOn(%d) { %s } else { ", m.id, m.code), " }"
		case "return":
			before += fmt.Sprintf("if mutantOn(%d) { %s }; ", m.id, m.code)
		default:
			before += fmt.Sprintf("if mutantOn(%d) { return %s }; ", m.id, m.code)
		}
	}
	if t := mutants[0].resultType; t != "" {
		before, after = fmt.Sprintf("(func() %s { %sreturn ", t, before), " }())"
	}
	size := end - begin
	in := []insertion{{at: begin, size: size, text: before}}
	if after != "" {
		in = append(in, insertion{at: end, close: true, size: size, text: after})
	}
	return in
}

// switchText is the file that turns one mutant on, or notes which are reached.
const switchText = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutantActive, _ = strconv.Atoi(os.Getenv("MUTANT"))
	mutantTrace     = mutantOpen(os.Getenv("MUTANT_TRACE"))
	mutantSeen      [%d]atomic.Bool
)

func mutantOpen(path string) *os.File {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return f
}

func mutantOn(id int) bool {
	if mutantTrace != nil && !mutantSeen[id].Swap(true) {
		mutantTrace.WriteString(strconv.Itoa(id) + "\n")
	}
	return id == mutantActive
}
`
