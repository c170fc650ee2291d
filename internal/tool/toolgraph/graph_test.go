package toolgraph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// toolbox has tools that are easy to confuse.
var toolbox = []Tool{
	named("list_directory", "List the files of a directory", "files", "path"),
	named("parse_json", "Read a JSON document into a value", "data", "path"),
	named("xml:parse", "Parse an XML document into a tree", "xml", "path encoding"),
	named("sendEmail", "Send a message to a recipient", "mail", "recipient subject body"),
	named("refund", "Return money to a customer", "shop", "customer amount currency"),
	named("convert_currency", "Convert an amount of money between currencies", "bank", "amount from to"),
}

func named(name, description, server, arguments string) Tool {
	return Tool{name, name, description, server, arguments, ""}
}

func names(tools []Tool, found []Found) (out []string) {
	for _, f := range found {
		out = append(out, tools[f.Tool].Name)
	}
	return out
}

func TestSearch(t *testing.T) {
	g := New(toolbox, nil)
	for request, want := range map[string]string{
		"parse XML files":                    "xml:parse",
		"Parsing of xml":                     "xml:parse",
		"list what is in this directory":     "list_directory",
		"e-mail the customer: send an email": "sendEmail",
		"send mails to recipients":           "sendEmail",
		"refunding a customer":               "refund",
		"converting currencies":              "convert_currency",
		"LISTDIRECTORY":                      "",
		"listDirectory":                      "list_directory",
		"what is the meaning of life":        "",
		"":                                   "",
	} {
		got := g.Search(request, 1)
		if len(got) == 0 != (want == "") || len(got) > 0 && toolbox[got[0].Tool].Name != want {
			t.Errorf("%q finds %v, want %q", request, names(toolbox, got), want)
		}
	}
}

func TestSentencesCountByThemselves(t *testing.T) {
	long := "Convert this amount of money from euros to dollars, the amount in the currency of the customer"
	request := long + ", with all amounts. List the directory. Parse XML."
	got := names(toolbox, New(toolbox, nil).Search(request, 4))
	for _, want := range []string{"convert_currency", "list_directory", "xml:parse"} {
		if !slices.Contains(got, want) {
			t.Errorf("%v lacks %s", got, want)
		}
	}
}

func TestFoundSaysWhy(t *testing.T) {
	got := New(toolbox, nil).Search("Parse these XML files", 1)[0]
	if !slices.Equal(got.Words, []string{"Parse", "XML"}) {
		t.Errorf("words %q", got.Words)
	}
	if got.Score != 1 || got.Confidence < 0.6 || got.Confidence > 0.9 || got.Runs != 0 {
		t.Errorf("%+v", got)
	}
	if odd := New(toolbox, nil).Search("parse the tax laws of Portugal", 1)[0]; odd.Confidence > 0.4 {
		t.Errorf("one word of four is no reason to be sure: %+v", odd)
	}
	both := New(toolbox, nil).Search("Parse XML. Then deliver flowers to grandmother's house", 1)[0]
	if both.Confidence != 1 {
		t.Errorf("a tool that does one of two things in full: %+v", both)
	}
}

// habits are requests whose words do not name the tools that serve them.
func habits(n int) (past []Past) {
	for i := range n {
		past = append(past,
			Past{Request: fmt.Sprintf("make Mrs Miller %d happy again", i), Tools: []string{"refund", "sendEmail"}},
			Past{Request: fmt.Sprintf("tidy up the inbox of day %d", i), Tools: []string{"list_directory"}})
	}
	return past
}

func TestExperienceFindsWhatWordsDoNot(t *testing.T) {
	const request = "make Mrs Smith happy"
	if got := New(toolbox, nil).Search(request, 5); len(got) != 0 {
		t.Fatalf("words alone find %v", names(toolbox, got))
	}
	got := New(toolbox, habits(20)).Search(request, 2)
	if n := names(toolbox, got); !slices.Equal(slices.Sorted(slices.Values(n)), []string{"refund", "sendEmail"}) {
		t.Fatalf("experience finds %v", n)
	}
	if got[0].Runs != 10 || got[0].Confidence < 0.2 {
		t.Errorf("%+v", got[0])
	}
}

// TestUselessExperienceChangesNothing: earlier requests that ended with tools by
// chance predict nothing, and words decide alone.
func TestUselessExperienceChangesNothing(t *testing.T) {
	tools, past := made(200), madePast(600, 200)
	chance := rand.New(rand.NewPCG(7, 7))
	for i := range past {
		past[i].Tools = []string{tools[chance.IntN(len(tools))].ID}
	}
	with, without := New(tools, past), New(tools, nil)
	if with.weights != (weights{}) {
		t.Errorf("chance counts: %+v", with.weights)
	}
	for _, p := range past[:3] {
		if a, b := with.Search(p.Request, 6), without.Search(p.Request, 6); !reflect.DeepEqual(a, b) {
			t.Errorf("%q: %v instead of %v", p.Request, a, b)
		}
	}
}

// TestFewRunsTeachLittle: six requests are too few to try how much they help.
func TestFewRunsTeachLittle(t *testing.T) {
	g := New(toolbox, habits(3))
	if g.weights != untried {
		t.Errorf("six requests count: %+v", g.weights)
	}
	if got := g.Search("make everyone happy", 5); len(got) != 0 {
		t.Errorf("%v", names(toolbox, got))
	}
}

func TestToolsThatAreGoneAreForgotten(t *testing.T) {
	past := habits(20)
	without := slices.DeleteFunc(slices.Clone(toolbox), func(tool Tool) bool { return tool.Name == "refund" })
	got := names(without, New(without, past).Search("make Mrs Smith happy", 5))
	if !slices.Contains(got, "sendEmail") || len(got) == 0 {
		t.Errorf("found %v", got)
	}
}

func TestSameInputSameAnswer(t *testing.T) {
	tools, past := made(500), madePast(500, 400)
	a, b := New(tools, past), New(tools, past)
	if a.weights != b.weights {
		t.Errorf("weights %+v and %+v", a.weights, b.weights)
	}
	for i := range 50 {
		request := past[i*7].Request
		if x, y := a.Search(request, 10), b.Search(request, 10); !reflect.DeepEqual(x, y) {
			t.Fatalf("%q: %v and %v", request, x, y)
		}
	}
}

func TestSearchFromManyGoroutines(t *testing.T) {
	tools, past := made(300), madePast(300, 200)
	g := New(tools, past)
	want := make([][]Found, 20)
	for i := range want {
		want[i] = g.Search(past[i].Request, 5)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range want {
				if got := g.Search(past[i].Request, 5); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%q: %v instead of %v", past[i].Request, got, want[i])
				}
			}
		})
	}
	all.Wait()
}

func TestLimits(t *testing.T) {
	far := strings.Repeat("filler ", RequestMax/7+1)
	g := New(toolbox, nil)
	if got := g.Search(far[:RequestMax-6]+" parse", 1); len(got) != 1 {
		t.Errorf("a word at the end of a request of %d bytes is not found", RequestMax)
	}
	if got := g.Search(far+"parse", 1); len(got) != 0 {
		t.Errorf("a word beyond %d bytes of a request is found", RequestMax)
	}
	text := strings.Repeat("x ", FieldMax/2-3)
	if got := New([]Tool{{Description: text + "parse"}}, nil).Search("parse", 1); len(got) != 1 {
		t.Errorf("a word within %d bytes of a description is not found", FieldMax)
	}
	if got := New([]Tool{{Description: text + "     parse"}}, nil).Search("parse", 1); len(got) != 0 {
		t.Errorf("a word beyond %d bytes of a description is found", FieldMax)
	}
	many := made(FoundMax + 50)
	for i := range many {
		many[i].Description = "common"
	}
	for _, most := range []int{-1, 0, 1, FoundMax, FoundMax + 1} {
		if got := New(many, nil).Search("common", most); len(got) != min(max(most, 0), FoundMax) {
			t.Errorf("%d of %d were asked for, and %d found", most, len(many), len(got))
		}
	}
	word := strings.Repeat("w", wordMax)
	if got := New([]Tool{{Name: word}}, nil).Search(word, 1); len(got) != 1 {
		t.Errorf("a word of %d bytes is not found", wordMax)
	}
	if got := New([]Tool{{Name: word + "w"}}, nil).Search(word+"w", 1); len(got) != 0 {
		t.Errorf("a word of %d bytes is found", wordMax+1)
	}
	kept := remember(newVocabulary(), make([]Past, 3), nil)
	if len(kept) != 0 {
		t.Errorf("requests without tools are remembered: %v", kept)
	}
	old := append([]Past{{Request: "oldest", Tools: []string{"refund"}}},
		slices.Repeat([]Past{{Request: "x1", Tools: []string{"refund"}}}, PastMax)...)
	if kept := remember(newVocabulary(), old, map[string]int32{"refund": 4}); len(kept) != PastMax {
		t.Errorf("%d of %d requests are remembered", len(kept), len(old))
	}
	v := newVocabulary()
	long := Past{Request: strings.Repeat("alpha. beta ", pastTermsMax), Tools: []string{"refund"}}
	if kept := remember(v, []Past{long}, map[string]int32{"refund": 4}); len(kept[0].terms) != pastTermsMax {
		t.Errorf("%d words are remembered", len(kept[0].terms))
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"getHTTPStatus2xx":   "get HTTP Status 2 xx",
		"snake_case-kebab":   "snake case kebab",
		"user's":             "user s",
		"XMLÄrger über/GmbH": "XML Ärger über Gmb H",
		"請求書を読む PDFファイル2件":   "請求 求書 書を を読 読む PDF ファ ァイ イル 2 件",
		"हिन्दी में":         "हिन्दी में",
		"\xff\xfea\xffb":     "a b",
		"":                   "",
		"ABC":                "ABC",
		"日本語 tool":           "日本 本語 tool",
		"字":                  "字",
	} {
		if got := strings.Join(split(beginning(text, 100)), " "); got != want {
			t.Errorf("%q is split into %q, want %q", text, got, want)
		}
	}
}

// Requests find tools in scripts without spaces, and in those whose vowels are marks.
func TestOtherScripts(t *testing.T) {
	tools := []Tool{{ID: "invoice", Description: "請求書を読み取る"}, {ID: "letter", Description: "手紙を送る"},
		{ID: "hindi", Description: "पत्र भेजता है"}, {ID: "german", Description: "Zählt die Wörter eines Briefes"}}
	g := New(tools, nil)
	for request, want := range map[string]string{"請求書": "invoice", "顧客の請求書を確認してから。": "invoice", "手紙": "letter",
		"पत्र": "hindi", "Wörter zählen": "german"} {
		found := g.Search(request, 1)
		if len(found) != 1 || tools[found[0].Tool].ID != want {
			t.Errorf("%s: %+v, want %s", request, found, want)
		}
	}
	if found := g.Search("天気", 1); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

func TestImportance(t *testing.T) {
	alone := func(past ...kept) []use { return usesOf(nil, past, nil) }
	rank := importance(alone(kept{tools: []int32{0, 1}}, kept{tools: []int32{0, 2}}, kept{tools: []int32{0, 3}},
		kept{tools: []int32{4}}), 6)
	if rank[0] != 1 || rank[1] >= 1 || rank[5] != 0 || rank[4] <= 0 {
		t.Errorf("ranks %v", rank)
	}
	if math.Abs(float64(rank[1]-rank[2])) > 1e-6 {
		t.Errorf("tools used alike have ranks %v and %v", rank[1], rank[2])
	}
	both := alone(kept{tools: []int32{1, 2}}, kept{tools: []int32{2, 1, 3}})
	if e := edges(both); len(e) != 6 || e[0].weight != 1.5 {
		t.Errorf("edges %v", e)
	}
	// What the result of one is given to is more central than what it is used beside.
	ids := map[string]int32{"a": 0, "b": 1, "c": 2}
	run := Used{Tools: []string{"a", "gone", "b", "c"}, Then: [][2]int{{0, 2}, {1, 3}, {-1, 9}}, Fits: [][2]int{{0, 2}}}
	led := usesOf([]Used{run, {Tools: []string{"gone"}}}, nil, ids)
	if rank := importance(led, 3); rank[1] != 1 || rank[0] >= 1 || rank[2] >= rank[0] {
		t.Errorf("ranks %v", rank)
	}
	run.Weight, run.Past = 0.5, []int{1}
	if e := edges(usesOf([]Used{run}, nil, ids)); len(e) != 6 || e[0] != (edge{0, 1, 1.25}) || e[1] != (edge{0, 2, 0.25}) {
		t.Errorf("edges %v", e)
	}
	if n := len(without(usesOf([]Used{run, {Past: []int{0}}}, nil, ids), map[int]bool{1: true})); n != 1 {
		t.Errorf("%d of two runs are left", n)
	}
	if empty := importance(nil, 0); len(empty) != 0 {
		t.Errorf("ranks of nothing %v", empty)
	}
}

// TestRunsRankTools: where words tell several tools alike, the one that runs lead to is found; where runs say nothing
// about that, they change nothing.
func TestRunsRankTools(t *testing.T) {
	const kinds = 40
	var tools []Tool
	var past []Past
	var central, random []Used
	chance := rand.New(rand.NewPCG(5, 5))
	kind := func(i int) string { return string(rune('b'+i%20)) + "or" + string(rune('d'+i/20)) + "u" }
	for i := range kinds {
		names := []string{"draft", "old", "test", "demo", "copy", "live", "spare", "shadow"}
		for k := range names {
			name := names[(k+i)%len(names)]
			tools = append(tools, Tool{ID: fmt.Sprint(name, i), Name: name, Description: "handles parcels of " + kind(i)})
		}
		past = append(past, Past{Request: "parcels of " + kind(i), Tools: []string{fmt.Sprint("live", i)}})
	}
	for i := range 10 * kinds {
		steps := []string{tools[chance.IntN(len(tools))].ID, fmt.Sprint("live", i%kinds)}
		central = append(central, Used{Tools: steps, Then: [][2]int{{0, 1}}, Fits: [][2]int{{0, 1}}})
		random = append(random, Used{Tools: []string{steps[0], tools[chance.IntN(len(tools))].ID}})
	}
	for _, tool := range tools { // all others are used more often
		if !strings.HasPrefix(tool.ID, "live") {
			central = append(central, slices.Repeat([]Used{{Tools: []string{tool.ID}}}, 12)...)
		}
	}
	g := New(tools, past, central...)
	if g.weights.rank == 0 {
		t.Fatalf("runs do not count: %+v", g.weights)
	}
	if got := g.Search("a parcel of "+kind(7), 1); tools[got[0].Tool].ID != "live7" {
		t.Errorf("found %s", tools[got[0].Tool].ID)
	}
	useless := New(tools, past, random...)
	if useless.weights.rank != 0 {
		t.Errorf("chance counts: %+v", useless.weights)
	}
	if !reflect.DeepEqual(useless.Search("parcels of "+kind(7), 3),
		New(tools, past, Used{}).Search("parcels of "+kind(7), 3)) {
		t.Error("chance changes what is found")
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("parse XML. And? mail!", "refund", "getHTTPStatus")
	f.Add("\xff\x00. \u0130\u212a", "ſ", strings.Repeat("ab", 100))
	f.Fuzz(func(t *testing.T, request, past, name string) {
		tools := append(slices.Clone(toolbox), Tool{ID: name, Name: name, Description: request, Arguments: past})
		history := slices.Repeat([]Past{{Request: past, Tools: []string{name}},
			{Request: request, Tools: []string{"refund", name, name}}}, 8)
		for _, found := range New(tools, history).Search(request, 5) {
			if found.Tool < 0 || found.Tool >= len(tools) || !(found.Score > 0 && found.Score <= 1) ||
				!(found.Confidence >= 0 && found.Confidence <= 1) {
				t.Fatalf("%+v", found)
			}
		}
	})
}

// TestOneEarlierRequest: a single request is too little to tell how much experience helps; it counts for one that
// nearly repeats it, and for no other.
func TestOneEarlierRequest(t *testing.T) {
	past := []Past{{Request: "make Mrs Miller happy again", Tools: []string{"refund"}}}
	g := New(toolbox, past)
	again := g.Search("please make Mrs Miller happy again", 3)
	if n := names(toolbox, again); !slices.Equal(n, []string{"refund"}) || again[0].Runs != 1 ||
		again[0].Confidence < 0.5 {
		t.Errorf("%v %+v", n, again)
	}
	for _, other := range []string{"parse XML files", "make a list of the directory", "happy birthday"} {
		got, want := g.Search(other, 3), New(toolbox, nil).Search(other, 3)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q finds %+v, want %+v", other, got, want)
		}
	}
}

// TestRejectedTool: what did not serve a request is not found for it, and still for others.
func TestRejectedTool(t *testing.T) {
	g := New(toolbox, []Past{{Request: "parse the XML document", Not: []string{"xml:parse"}}})
	if got := g.Search("parse the XML document", 3); slices.Contains(names(toolbox, got), "xml:parse") {
		t.Errorf("%v", names(toolbox, got))
	}
	for _, f := range g.Search("parse this XML document", 3) {
		if toolbox[f.Tool].Name == "xml:parse" && f.Confidence > 0.2 {
			t.Errorf("%+v", f)
		}
	}
	if got := names(toolbox, g.Search("XML tree with an encoding", 1)); !slices.Equal(got, []string{"xml:parse"}) {
		t.Errorf("%v", got)
	}
}

// TestFoundByResults: what a tool returns is what it is wanted for.
func TestFoundByResults(t *testing.T) {
	tools := append(slices.Clone(toolbox), Tool{ID: "station", Name: "station", Results: "humidity air pressure"})
	if got := names(tools, New(tools, nil).Search("measure the humidity", 1)); !slices.Equal(got, []string{"station"}) {
		t.Errorf("%v", got)
	}
}

// TestStopWordsCompareRequests: where the way people ask tells what they want, stop words count; but requests that
// have only those in common are not alike.
func TestStopWordsCompareRequests(t *testing.T) {
	var tools []Tool
	var past []Past
	ways := []string{"could you please", "what is there", "how do i", "tell me which", "show us some", "may we have",
		"let them know", "who were they", "where can my", "should it not", "would such then", "did your one"}
	for i := range 240 {
		at := i * 7 % len(ways)
		if i < len(ways) {
			tools = append(tools, Tool{ID: ways[i], Name: fmt.Sprint("tool", i)})
		}
		past = append(past, Past{Request: fmt.Sprintf("%s case %d", ways[at], i), Tools: []string{ways[at]}})
	}
	g := New(tools, past)
	if !panels[g.weights.panel].stops || g.weights.near == 0 {
		t.Fatalf("weights %+v", g.weights)
	}
	for _, way := range ways {
		got := g.Search(way+" case of Miller", 1)
		if len(got) != 1 || tools[got[0].Tool].ID != way {
			t.Errorf("%q finds %+v", way, got)
		}
		if got := g.Search(way, 5); len(got) != 0 {
			t.Errorf("the stop words %q alone find %+v", way, got)
		}
	}
}

// TestRepeatedWordCountsOnce: a word that is said twice does not outweigh the others.
func TestRepeatedWordCountsOnce(t *testing.T) {
	g := New(toolbox, nil)
	once, often := g.Search("parse the XML of this directory", 3), g.Search("parse the XML of this directory directory", 3)
	if !slices.Equal(names(toolbox, once), names(toolbox, often)) || once[0].Score != often[0].Score {
		t.Errorf("%+v and %+v", once, often)
	}
}
