package media

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fileMax limits one part of a path, in bytes: every system accepts 255, and a number may be added.
const fileMax = 240

// unnamed is the name of a file without usable characters in its name.
const unnamed = "deliverable"

// File makes a name safe as the name of a file on every system: its last part, and never one that is hidden, leads
// elsewhere or denotes a device.
//
//	media.File("../../etc/passwd")  // "passwd"
//	media.File(`C:\run\con.txt`)    // "_con.txt"
func File(name string) string {
	parts := split(name)
	if len(parts) == 0 {
		return unnamed
	}
	// A saved file lands among the user's own files, where .bashrc is more than a file.
	last := parts[len(parts)-1]
	if bare, hides := strings.CutPrefix(last, "."); hides {
		return "_" + bare
	}
	return last
}

// split splits a name into the parts of a path: without parts that lead up, and without characters that have a
// special meaning on any system.
func split(name string) (parts []string) {
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part = plain(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// plain makes one part of a path; "" if nothing is left.
func plain(part string) string {
	part = strings.Map(func(r rune) rune {
		if isHidden(r) || r == utf8.RuneError || strings.ContainsRune(`:*?"<>|`, r) {
			return '_'
		}
		return r
	}, norm.NFC.String(part))
	part = fitted(strings.TrimLeft(trimEnd(part), " "))
	if isDevice(part) {
		part = "_" + part
	}
	return part
}

// trimEnd removes characters that Windows ignores at the end of a name, so that "..." is ".." there, and "con.txt." a
// device.
func trimEnd(part string) string { return strings.TrimRight(part, ". ") }

// fitted is a part that is short enough for a file name. Its extension is kept.
func fitted(part string) string {
	if len(part) <= fileMax {
		return part
	}
	ext := path.Ext(part)
	if len(ext) > 20 {
		ext = ""
	}
	cut := fileMax - len(ext)
	for !utf8.RuneStart(part[cut]) {
		cut--
	}
	return trimEnd(part[:cut]) + ext
}

// devices are names reserved by Windows, with any extension.
var devices = []string{
	"con", "prn", "aux", "nul", "conin$", "conout$",
	"com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "com¹", "com²", "com³",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "lpt¹", "lpt²", "lpt³",
}

func isDevice(part string) bool {
	stem, _, _ := strings.Cut(part, ".")
	return slices.Contains(devices, strings.ToLower(strings.TrimRight(stem, " ")))
}

// Folder assigns names unique places in one folder, even on systems that ignore case or normalise é.
//
//	var f media.Folder
//	f.Place("../Report.md")  // "Report.md"
//	f.Place("report.md")     // "report (2).md"
//	f.Place("report.md/x")   // "report.md (2)/x": a file cannot be a folder
type Folder struct {
	files   map[string]bool
	folders map[string]bool
	tried   map[string]int // so that the ten thousandth use of a name is as fast
}

// Place returns a path below the folder, with slashes, for a name. The same name gets a new place every time.
func (f *Folder) Place(name string) string {
	if f.files == nil {
		f.files, f.folders, f.tried = map[string]bool{}, map[string]bool{}, map[string]int{}
	}
	parts := split(name)
	if len(parts) == 0 {
		parts = []string{unnamed}
	}
	at := ""
	for _, part := range parts[:len(parts)-1] {
		at = f.free(at, part, "/", func(key string) bool { return !f.files[key] })
		f.folders[fold(at)] = true
	}
	last := parts[len(parts)-1]
	ext := path.Ext(last)
	if ext == last {
		ext = ""
	}
	at = f.free(at, strings.TrimSuffix(last, ext), ext, func(key string) bool { return !f.files[key] && !f.folders[key] })
	f.files[fold(at)] = true
	return at
}

// free is the first available of "stem.ext", "stem (2).ext" and so on. The ext of a folder is a slash.
func (f *Folder) free(in, stem, ext string, may func(key string) bool) string {
	wanted := path.Join(in, stem+ext)
	if may(fold(wanted)) {
		return wanted
	}
	key := fold(in + "/" + stem + ext)
	for n := max(2, f.tried[key]); ; n++ {
		at := path.Join(in, fmt.Sprintf("%s (%d)%s", stem, n, ext))
		if may(fold(at)) {
			f.tried[key] = n
			return at
		}
	}
}

// fold is equal for paths that some system considers the same.
func fold(at string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKD.String(at)))
}
