// Package media detects the type of bytes, whatever is declared:
//
//	media.Of("prices.csv", "text/csv", content)      // "text/csv"
//	media.Of("prices.csv", "text/csv", html)         // "text/html": the bytes count
//	media.Kind("text/csv")                           // "data"
//	media.Look(head)                                 // how it may be shown: text, image, none
//
// Agents create files, and people open them. A name and a declared type are claims of the agent; what matters is how a
// browser would interpret the bytes.
package media

import (
	"bytes"
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"path"
	"strings"
)

// Types of bytes when nothing better is known.
const (
	Text    = "text/plain"
	Unknown = "application/octet-stream"

	html = "text/html"
	xml  = "text/xml"
	svg  = "image/svg+xml"
	zip  = "application/zip"
)

// sniffMax is how much of the content is examined.
const sniffMax = 1024

// typeMax limits a declared type.
const typeMax = 100

// Of is the media type of content: from its bytes first, then the declared type, then the name. A declared type that
// contradicts the bytes is ignored.
func Of(name, declared string, content []byte) string {
	said, named := parse(declared), ByName(name)
	switch shown := sniff(content); {
	case shown == zip:
		return first(zip, isZipped, said, named)
	case shown == Unknown:
		return first(Unknown, isOpaque, said, named)
	case isMarkup(shown):
		// Markdown and source code may begin with a tag.
		return first(shown, mayHoldTags, said, named)
	case shown == Text:
		got := first(Text, isText, said, named)
		if got == "application/json" && !json.Valid(content) {
			return Text
		}
		return got
	default:
		return shown
	}
}

// Said is the type of content stored elsewhere: as declared, or from its name; "" if unknown.
func Said(name, declared string) string { return cmp.Or(parse(declared), ByName(name)) }

// first is the first suitable candidate, or the fallback.
func first(fallback string, fits func(string) bool, candidates ...string) string {
	for _, c := range candidates {
		if c != "" && fits(c) {
			return c
		}
	}
	return fallback
}

// parse reads a declared type without its parameters; "" if it is not valid.
func parse(declared string) string {
	if len(declared) > typeMax {
		return ""
	}
	t, _, err := mime.ParseMediaType(declared)
	if err != nil || strings.Count(t, "/") != 1 {
		return ""
	}
	return t
}

// sniff detects the type from the bytes: Text, Unknown, markup, or a type with a signature.
func sniff(content []byte) string {
	head := content[:min(len(content), sniffMax)]
	shown, _, _ := mime.ParseMediaType(http.DetectContentType(head))
	if shown != Text && !isMarkup(shown) {
		return shown
	}
	// The standard table does not include SVG, and a browser executes scripts in it.
	lower := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n\f"))
	if bytes.HasPrefix(lower, []byte("<")) && bytes.Contains(lower, []byte("<svg")) &&
		!bytes.Contains(lower, []byte("<html")) {
		return svg
	}
	return shown
}

func isMarkup(t string) bool { return t == html || t == xml || t == svg }

// isZipped are formats that are ZIP files.
func isZipped(t string) bool {
	return t == zip || strings.HasPrefix(t, "application/vnd.openxmlformats-officedocument.") ||
		strings.HasPrefix(t, "application/vnd.oasis.opendocument.") ||
		t == "application/epub+zip" || t == "application/java-archive"
}

// isOpaque are types without a signature: bytes with one are of another type.
func isOpaque(t string) bool {
	switch t {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", zip,
		"application/gzip", "application/wasm":
		return false
	}
	return !isText(t) && !isMarkup(t) && !isZipped(t) && !strings.HasSuffix(t, "+xml") &&
		!strings.HasSuffix(t, "+json") && t != "application/xml"
}

// mayHoldTags are text types that may begin with a tag. Other types that do are not what they claim.
func mayHoldTags(t string) bool {
	return t == "text/markdown" || strings.HasPrefix(t, "text/x-") && isText(t)
}

// isText are text types, including those that a browser would execute.
func isText(t string) bool {
	switch t {
	case "application/json", "application/yaml", "application/toml", "application/x-ndjson", "application/sql":
		return true
	}
	return strings.HasPrefix(t, "text/") && t != xml || strings.HasSuffix(t, "+json")
}

// ByName is the usual type for a file name; "" if unknown.
func ByName(name string) string {
	return extensions[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]
}

// extensions are the types that people and agents mostly create. The system's table differs between machines.
var extensions = map[string]string{
	"txt": Text, "log": Text, "text": Text,
	"md": "text/markdown", "markdown": "text/markdown",
	"csv": "text/csv", "tsv": "text/tab-separated-values",
	"json": "application/json", "jsonl": "application/x-ndjson", "ndjson": "application/x-ndjson",
	"yaml": "application/yaml", "yml": "application/yaml", "toml": "application/toml",
	"diff": "text/x-diff", "patch": "text/x-diff",
	"html": html, "htm": html, "css": "text/css", "js": "text/javascript", "mjs": "text/javascript",
	"go": "text/x-go", "py": "text/x-python", "ts": "text/x-typescript", "tsx": "text/x-typescript",
	"jsx":  "text/x-javascript",
	"java": "text/x-java", "kt": "text/x-kotlin", "c": "text/x-c", "h": "text/x-c", "cc": "text/x-c++",
	"cpp": "text/x-c++", "hpp": "text/x-c++",
	"cs": "text/x-csharp", "rs": "text/x-rust", "rb": "text/x-ruby", "php": "text/x-php",
	"sh": "text/x-sh", "bash": "text/x-sh",
	"sql": "application/sql", "swift": "text/x-swift", "scala": "text/x-scala", "lua": "text/x-lua", "tex": "text/x-tex",
	"ini": "text/x-ini", "proto": "text/x-proto", "vue": "text/x-vue",
	"pdf": "application/pdf", "zip": zip,
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"odt":  "application/vnd.oasis.opendocument.text", "ods": "application/vnd.oasis.opendocument.spreadsheet",
	"parquet": "application/vnd.apache.parquet", "xls": "application/vnd.ms-excel", "doc": "application/msword",
}

// Kinds are the kinds of deliverables.
var Kinds = []string{"document", "code", "data", "media", "other"}

// Kind maps a type to one of Kinds.
func Kind(t string) string {
	switch {
	case strings.HasPrefix(t, "image/"), strings.HasPrefix(t, "audio/"), strings.HasPrefix(t, "video/"):
		return "media"
	case strings.HasPrefix(t, "text/x-"), t == "text/javascript", t == "text/css", t == "application/sql":
		return "code"
	case t == "text/csv", t == "text/tab-separated-values", t == xml, t == "application/json", t == "application/yaml",
		t == "application/toml",
		t == "application/x-ndjson", strings.HasSuffix(t, "+json"), strings.Contains(t, "spreadsheet"),
		strings.Contains(t, "parquet"), t == "application/vnd.ms-excel":
		return "data"
	case strings.HasPrefix(t, "text/"), t == "application/pdf", t == "application/msword",
		strings.Contains(t, "officedocument"), strings.Contains(t, "opendocument"):
		return "document"
	}
	return "other"
}
