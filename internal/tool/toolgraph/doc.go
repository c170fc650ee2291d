// Package toolgraph finds tools by purpose.
//
//	graph := toolgraph.New(tools, past)
//	for _, found := range graph.Search("parse the XML files in the inbox", 5) {
//		fmt.Println(tools[found.Tool].Name, found.Confidence, found.Words)
//	}
//
// Two kinds of evidence count. The first is words: BM25F over a tool's name, its
// description, its arguments, its results and its server, for the request as a whole
// and for each of its sentences. The second is experience: earlier requests and the
// tools that served them. There are three kinds of it: what served the most similar
// requests, all that a tool ever served, and how central a tool is among those that runs
// used together, one after the other or with each other's results (PageRank). Each counts
// as much as it helps to predict earlier requests that were held out, so where history
// says nothing about the next request, it changes nothing.
//
// A Graph never changes: it may be searched from any number of goroutines, and the
// same tools, history and request give the same answer. It makes no network calls.
package toolgraph

// Limits, each tested at and over. What is over them is left out, never refused:
// a tool that describes itself at length can still be found.
const (
	RequestMax = 8 << 10 // bytes of a request
	FieldMax   = 8 << 10 // bytes of one field of a tool
	FoundMax   = 200     // tools of one answer
	PastMax    = 20_000  // earlier requests; the newest count
	PastTools  = 20      // tools of one earlier request

	wordMax      = 40  // bytes of a word; longer ones are identifiers or noise
	termsMax     = 256 // different words of a request
	pastTermsMax = 96  // words of an earlier request
	clausesMax   = 8   // sentences of a request that are looked at one by one
)

// Tool is the part of a callable that a search uses.
type Tool struct {
	ID          string // by which history knows it; nothing is found by it
	Name        string
	Description string
	Server      string // where it comes from; empty for built-in tools
	Arguments   string // their names and descriptions
	Results     string // the names and descriptions of what it returns
}

// Past is an earlier request and the ids of the tools that served it.
type Past struct {
	Request string
	Tools   []string
	Not     []string // tools that did not serve it
	Weight  float32  // how much it counts; 0: 1
}

// Used is how a run used tools. Runs rank the tools that they use: see importance.
type Used struct {
	Tools []string
	Then  [][2]int // pairs of Tools, by position: the second was used after the first
	Fits  [][2]int // the second was given a result of the first
	Past  []int    // the earlier requests of the run, by position: while one of them is held out, so is the run
	// How much it counts; 0: 1.
	Weight float32
}

// Found is a tool that may fit.
type Found struct {
	Tool  int     // its index in the list that was given
	Score float64 // 0 to 1, for the order of the answer
	// Confidence is the share of the request that the tool accounts for, from 0 to 1:
	// rare words count more than frequent ones, and similar earlier requests count.
	Confidence float64
	Words      []string // of the request that led to it, in their order
	Runs       int      // similar earlier requests that it served
}
