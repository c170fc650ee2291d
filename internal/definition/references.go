package definition

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
)

// Allowed defines which references may appear in documents received over the network. They are resolved on the
// server and sent where the document says, so an author of documents could otherwise read any secret of the machine.
//
//	allowed, err := definition.ParseAllowed("env:RISK_*", "file:/run/secrets")
//	problems := allowed.Check(doc)
type Allowed struct {
	env  []string // names; * matches any characters
	dirs []string // with everything below them
}

// ParseAllowed parses a list of env:NAME, where * matches any characters, and file:DIRECTORY.
func ParseAllowed(texts ...string) (a Allowed, err error) {
	for _, text := range texts {
		scheme, name, _ := strings.Cut(text, ":")
		switch {
		case scheme == "env" && envName.MatchString(strings.ReplaceAll(name, "*", "_")):
			a.env = append(a.env, name)
		case scheme == "file" && filepath.IsAbs(name):
			a.dirs = append(a.dirs, filepath.Clean(name))
		default:
			return Allowed{}, fmt.Errorf("%q is neither env:NAME, where * matches any characters, nor "+
				"file:DIRECTORY with a whole path", clip(text))
		}
	}
	return a, nil
}

// Strings is the inverse of ParseAllowed.
func (a Allowed) Strings() (out []string) {
	for _, name := range a.env {
		out = append(out, "env:"+name)
	}
	for _, dir := range a.dirs {
		out = append(out, "file:"+dir)
	}
	return out
}

func (a Allowed) has(r Reference) bool {
	switch r.Scheme {
	case "env":
		return slices.ContainsFunc(a.env, func(pattern string) bool {
			ok, err := path.Match(pattern, r.Name)
			return ok && err == nil
		})
	case "file":
		return filepath.IsAbs(r.Name) && slices.ContainsFunc(a.dirs, func(dir string) bool {
			below, err := filepath.Rel(dir, filepath.Clean(r.Name))
			return err == nil && below != "." && filepath.IsLocal(below)
		})
	}
	return false
}

// Check lists the references of a document that are not allowed.
func (a Allowed) Check(doc Document) (problems []fault.Problem) {
	secrets(reflect.ValueOf(doc), "", func(at string, s Secret) {
		for _, r := range s.References() {
			if !a.has(r) {
				problems = append(problems, fault.Problem{Path: at,
					Message: fmt.Sprintf("%s is not allowed in documents that come over the network: "+
						"allow it with the setting references, or load the document from a folder of the server", r)})
			}
		}
	})
	return problems
}

var secretType = reflect.TypeFor[Secret]()

// secrets finds every secret in a value, by its type, with its path.
func secrets(v reflect.Value, at string, found func(at string, s Secret)) {
	join := func(name string) string { return strings.TrimPrefix(at+"."+name, ".") }
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			secrets(v.Elem(), at, found)
		}
	case reflect.Struct:
		if v.Type() == secretType {
			found(at, v.Interface().(Secret))
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case !f.IsExported():
			case name == "" || name == "-": // embedded
				secrets(v.Field(i), at, found)
			default:
				secrets(v.Field(i), join(name), found)
			}
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return
		}
		keys := map[string]reflect.Value{}
		for _, k := range v.MapKeys() {
			keys[k.String()] = k
		}
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			secrets(v.MapIndex(keys[name]), join(name), found)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			secrets(v.Index(i), fmt.Sprintf("%s[%d]", at, i), found)
		}
	}
}
