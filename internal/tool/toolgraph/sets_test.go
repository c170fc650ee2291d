package toolgraph

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Public sets of requests and the tools that serve them. They are not part of this
// repository; SETS names a folder that holds clones of theirs:
//
//	COLT        github.com/quchangle1/COLT (ToolLens)
//	MetaTool    github.com/HowieHwong/MetaTool
//	Seal-Tools  github.com/fairyshine/Seal-Tools
//
// The floors are recalls by words, after 1,000 runs and after all runs that must be reached. Parameters were chosen
// with requests of the past.
var publicSets = []struct {
	name   string
	read   func(t *testing.T, folder string) set
	floors [3]float64
}{
	{"ToolLens", readLens, [3]float64{34.9, 77.2, 89.5}},
	{"MetaTool", readMeta, [3]float64{60.8, 0, 94.9}},
	{"Seal-Tools", readSeal, [3]float64{92.4, 0, 92.4}},
}

// set is one of them. Parameters are chosen on past requests; decision 47 tells where a look at the others led to
// another choice.
type set struct {
	tools      []Tool
	past, held []Past
}

// TestPublicSets prints how many of the tools that serve a request are among the
// best five, for requests that were held out.
func TestPublicSets(t *testing.T) {
	folder := os.Getenv("SETS")
	if folder == "" {
		t.Skip("SETS names no folder with the public sets: see make toolsearch")
	}
	fmt.Println("recall@5, %    tools  requests  plain BM25  words  1,000 runs  all runs          " +
		"B/tool  and with runs  weights")
	for _, p := range publicSets {
		s := p.read(t, folder)
		words, bytes := indexed(s.tools, nil)
		all, bytesAll := indexed(s.tools, s.past)
		row := [3]float64{recall(s, words.Search), 0, recall(s, all.Search)}
		bm25, some := recall(s, plain(s.tools)), fmt.Sprintf("%10s", "–")
		if step := len(s.past) / 1000; step > 0 {
			var thousand []Past
			for i := 0; len(thousand) < 1000; i += step {
				thousand = append(thousand, s.past[i])
			}
			row[1] = recall(s, New(s.tools, thousand).Search)
			some = fmt.Sprintf("%10.1f", row[1])
		}
		fmt.Printf("%-12s %7d %9d %11.1f %6.1f  %s %6.1f %-11s %6d %14d  %s\n", p.name, len(s.tools), len(s.held),
			bm25, row[0], some, row[2], fmt.Sprintf("(%d)", len(s.past)), bytes, bytesAll, chosen(all.weights))
		if bm25 > row[0] || row[2] < row[0]-0.5 {
			t.Errorf("%s: words are no better than plain BM25, or history does harm", p.name)
		}
		for i, floor := range p.floors {
			if math.Round(row[i]*10)/10 < floor {
				t.Errorf("%s: recall is %.1f, less than %.1f", p.name, row[i], floor)
			}
		}
	}
}

// indexed is a graph and how many bytes it needs for each tool; the texts of tools and requests are not counted.
func indexed(tools []Tool, past []Past) (*Graph, uint64) {
	before := heap()
	g := New(tools, past)
	return g, (heap() - before) / uint64(len(tools))
}

// chosen says which evidence calibration uses beside the words, and how much it counts.
func chosen(w weights) string {
	if w.untested {
		return "untested"
	}
	near := fmt.Sprintf("nearest %g", w.near)
	if w.near > 0 {
		near += fmt.Sprintf(" (of %d", panels[w.panel].most)
		if panels[w.panel].stops {
			near += ", with stop words"
		}
		if w.close {
			near += ", by closeness"
		}
		near += ")"
	}
	return fmt.Sprintf("%s, served before %g, rank %g", near, w.profile, w.rank)
}

func recall(s set, search func(string, int) []Found) float64 {
	sum := 0.0
	for _, h := range s.held {
		n := 0
		for _, f := range search(h.Request, 5) {
			if slices.Contains(h.Tools, s.tools[f.Tool].ID) {
				n++
			}
		}
		sum += float64(n) / float64(len(h.Tools))
	}
	return 100 * sum / float64(len(s.held))
}

// plain is BM25 as it is found everywhere: all words of a tool in one text.
func plain(tools []Tool) func(string, int) []Found {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	counts, lengths, with, total := make([]map[string]int, len(tools)), make([]int, len(tools)), map[string]int{}, 0
	for i, tool := range tools {
		counts[i] = map[string]int{}
		text := strings.Join([]string{tool.Name, tool.Description, tool.Server, tool.Arguments, tool.Results}, " ")
		for _, w := range words(text) {
			counts[i][w]++
			lengths[i]++
		}
		for w := range counts[i] {
			with[w]++
		}
		total += lengths[i]
	}
	return func(request string, most int) []Found {
		var s scores
		s.reset(len(tools))
		for _, w := range words(request) {
			for i := range tools {
				if tf := float64(counts[i][w]); tf > 0 {
					norm := 1.2 * (0.25 + 0.75*float64(lengths[i])*float64(len(tools))/float64(total))
					s.add(int32(i), float32(rarity(len(tools), with[w])*tf*2.2/(tf+norm)))
				}
			}
		}
		var out []Found
		for _, i := range s.best(most) {
			out = append(out, Found{Tool: int(i)})
		}
		return out
	}
}

func readLens(t *testing.T, folder string) (s set) {
	folder = filepath.Join(folder, "COLT", "datasets", "ToolLens")
	type document struct {
		ID   string `json:"_id"`
		Text string
	}
	for d := range readLines[document](t, filepath.Join(folder, "corpus.jsonl")) {
		between := func(from, to string) string {
			_, rest, _ := strings.Cut(d.Text, from+":")
			text, _, _ := strings.Cut(rest, ", "+to+":")
			return strings.TrimSpace(text)
		}
		tool := Tool{
			ID: d.ID, Name: between("api_name", "api_description"), Description: between("api_description", "required_params"),
			Server:    between("category_name", "tool_name") + " " + between("tool_name", "api_name"),
			Arguments: between("required_params", "return_schema"), Results: between("return_schema", "metadata"),
		}
		s.tools = append(s.tools, tool)
	}
	text := map[string]string{}
	for d := range readLines[document](t, filepath.Join(folder, "queries.jsonl")) {
		text[d.ID] = d.Text
	}
	read := func(file string) (out []Past) {
		at := map[string]int{}
		for _, line := range strings.Split(readAll(t, filepath.Join(folder, "qrels", file)), "\n")[1:] {
			f := strings.Fields(line)
			if len(f) < 2 {
				continue
			}
			i, ok := at[f[0]]
			if !ok {
				i, at[f[0]] = len(out), len(out)
				out = append(out, Past{Request: text[f[0]]})
			}
			out[i].Tools = append(out[i].Tools, f[1])
		}
		return out
	}
	s.past, s.held = read("train.tsv"), read("test.tsv")
	return s
}

func readMeta(t *testing.T, folder string) (s set) {
	folder = filepath.Join(folder, "MetaTool", "dataset")
	var described map[string]string
	if err := json.Unmarshal([]byte(readAll(t, filepath.Join(folder, "plugin_des.json"))), &described); err != nil {
		t.Fatal(err)
	}
	key := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	texts := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(described)) {
		texts[key(name)] = described[name]
	}
	table := readAll(t, filepath.Join(folder, "data", "all_clean_data.csv"))
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for i, r := range rows[1:] {
		if !known[r[1]] {
			known[r[1]] = true
			s.tools = append(s.tools, Tool{ID: r[1], Name: r[1], Description: texts[key(r[1])]})
		}
		if p := (Past{Request: r[0], Tools: []string{r[1]}}); i%10 == 0 {
			s.held = append(s.held, p)
		} else {
			s.past = append(s.past, p)
		}
	}
	return s
}

func readSeal(t *testing.T, folder string) (s set) {
	folder = filepath.Join(folder, "Seal-Tools", "Seal-Tools_Dataset")
	type tool struct {
		Name       string `json:"api_name"`
		Text       string `json:"api_description"`
		Field      string
		Parameters map[string]struct{ Description string }
		Responses  map[string]struct{ Description string }
	}
	known := map[string]bool{}
	for d := range readLines[tool](t, filepath.Join(folder, "tool.jsonl")) {
		texts := func(of map[string]struct{ Description string }) string {
			var out []string
			for _, name := range slices.Sorted(maps.Keys(of)) {
				out = append(out, name, of[name].Description)
			}
			return strings.Join(out, " ")
		}
		known[d.Name] = true
		s.tools = append(s.tools, Tool{d.Name, d.Name, d.Text, d.Field, texts(d.Parameters), texts(d.Responses)})
	}
	type request struct {
		Query   string
		Calling []struct{ API string }
	}
	read := func(file string) (out []Past) {
		for d := range readLines[request](t, filepath.Join(folder, file)) {
			p := Past{Request: d.Query}
			for _, c := range d.Calling {
				if known[c.API] && !slices.Contains(p.Tools, c.API) {
					p.Tools = append(p.Tools, c.API)
				}
			}
			if len(p.Tools) > 0 {
				out = append(out, p)
			}
		}
		return out
	}
	s.past = read("dev.jsonl")
	s.held = append(read("test_in_domain.jsonl"), read("test_out_domain.jsonl")...)
	return s
}

func readAll(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// readLines reads a file of JSON values, one in each line.
func readLines[T any](t *testing.T, name string) func(func(T) bool) {
	return func(yield func(T) bool) {
		lines := bufio.NewScanner(strings.NewReader(readAll(t, name)))
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var v T
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !yield(v) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
