package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/trigger"
)

// bodyMax bounds a request.
const bodyMax = 16 << 20

// takeBody reads the body of a request, whatever it is.
func (c *call) takeBody(w http.ResponseWriter) error {
	if c.op.Method == http.MethodGet {
		if c.r.ContentLength != 0 { // it is not read, and must not be mistaken for the next request
			w.Header().Set("Connection", "close")
		}
		return nil
	}
	most := int64(bodyMax)
	if c.op.Forgets {
		most = passwordBodyMax // the sender is not authenticated
	}
	if c.op.Hook {
		most = trigger.BodyMax
	}
	if c.r.ContentLength > most {
		return tooLarge(most)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, c.r.Body, most))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return tooLarge(most)
	case err != nil:
		return problem.WithStatus(http.StatusBadRequest,
			fault.New(fault.Invalid, "the body is incomplete", "send it again"))
	}
	arrived(w, c.r)
	c.body = body
	return nil
}

// checkBody refuses a body that the operation cannot read.
func (c *call) checkBody() (err error) {
	if c.op.Method == http.MethodGet || c.op.Hook {
		return nil
	}
	if len(c.body) == 0 {
		return c.noBody()
	}
	if c.format, err = formatOf(c.r.Header, c.op.Takes); err != nil {
		return err
	}
	if c.format == definition.YAML {
		return nil
	}
	return c.wellFormed()
}

func tooLarge(most int64) error {
	size := fmt.Sprintf("%d MiB", most>>20)
	if most < 1<<20 {
		size = fmt.Sprintf("%d KiB", most>>10)
	}
	return fault.New(fault.TooLarge, "the body is larger than "+size,
		"put large content where agents can fetch it, and send its address")
}

func (c *call) noBody() error {
	if c.op.Takes == contract.TakesNothing || c.op.Takes == contract.TakesMaybe {
		return nil
	}
	return problem.WithStatus(http.StatusBadRequest,
		fault.New(fault.Invalid, "the body is missing", "see /api/v1/docs for what to send"))
}

// wellFormed refuses bodies that are not JSON. Every operation takes an object.
func (c *call) wellFormed() error {
	if c.op.Takes == contract.TakesDocument {
		if c.op.Changes && !value.Valid(c.body) {
			return malformed(c.body)
		}
		return nil // validating a document reports its errors in the response
	}
	if !value.Valid(c.body) {
		return malformed(c.body)
	}
	if !utf8.Valid(c.body) {
		return problem.WithStatus(http.StatusBadRequest, fault.New(fault.Invalid, "the body is not UTF-8", ""))
	}
	if value.KindOf(c.body) != value.KindObject {
		return problem.Invalid("", "must be an object")
	}
	return nil
}

func malformed(body []byte) error {
	err := plan.Decode(body, &struct{}{})
	var f *fault.Error
	if !errors.As(err, &f) {
		f = fault.New(fault.Invalid, "", "")
	}
	return problem.WithStatus(http.StatusBadRequest,
		&fault.Error{Code: fault.Invalid, Message: "the body is not JSON", Problems: f.Problems})
}

// formatOf is the format of a body.
func formatOf(h http.Header, t contract.Takes) (definition.Format, error) {
	if coding := h.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return 0, unsupportedMedia("compressed bodies are not accepted", "send it uncompressed")
	}
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		media = ""
	}
	switch charset := params["charset"]; {
	case charset != "" && !strings.EqualFold(charset, "utf-8"):
		return 0, unsupportedMedia("only UTF-8 is accepted", "remove the charset")
	case media == "application/json":
		return definition.JSON, nil
	case t == contract.TakesDocument && yamlTypes[media]:
		return definition.YAML, nil
	case t == contract.TakesDocument:
		return 0, unsupportedMedia("a document must be YAML or JSON",
			"set Content-Type to application/yaml or application/json")
	}
	return 0, unsupportedMedia("the body must be JSON", "set Content-Type to application/json")
}

var yamlTypes = map[string]bool{"application/yaml": true, "application/x-yaml": true,
	"text/yaml": true, "text/x-yaml": true}

func unsupportedMedia(message, hint string) error {
	return problem.WithStatus(http.StatusUnsupportedMediaType, fault.New(fault.Unsupported, message, hint))
}

// wantsYAML reports whether a client prefers a document as a file.
func wantsYAML(h http.Header) bool {
	for part := range strings.SplitSeq(h.Get("Accept"), ",") {
		media, _, err := mime.ParseMediaType(part)
		switch {
		case err != nil:
		case yamlTypes[media]:
			return true
		case media == "application/json", media == "*/*":
			return false
		}
	}
	return false
}

// read decodes a body, which is an object or was left out. Unknown, duplicate, missing and wrongly typed members are
// refused with their paths. But lists members that the request sends elsewhere.
func read[T any](c *call, but ...string) (T, error) {
	var v T
	if len(c.body) == 0 {
		return v, nil
	}
	err := plan.Decode(c.body, &v)
	problems := request.MissingMembers(c.body, reflect.TypeFor[T](), "", but...)
	var f *fault.Error
	if errors.As(err, &f) && f.Code == fault.Invalid {
		problems = append(problems, f.Problems...)
	} else if err != nil {
		return v, err
	}
	if len(problems) > 0 {
		var none T
		return none, fault.Of("the body is not valid", problems)
	}
	return v, nil
}
