package media

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Show is how content may be shown to people inside a page of ours.
type Show string

const (
	AsText  Show = "text"  // as plain text, markup included
	AsImage Show = "image" // as it is: pictures that carry no scripts
	AsNone  Show = "none"  // not at all: download it
)

// Images are pictures that browsers draw and never run.
var Images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Look says how content that begins with head may be shown, and as which type.
// It believes the bytes alone.
func Look(head []byte) (Show, string) {
	switch shown := sniff(head); {
	case slices.Contains(Images, shown):
		return AsImage, shown
	case (shown == Text || isMarkup(shown)) && bytes.IndexByte(head, 0) < 0:
		return AsText, Text
	}
	return AsNone, ""
}

// Shows says the same of a type that Of found.
func Shows(t string) Show {
	switch {
	case slices.Contains(Images, t):
		return AsImage
	case isText(t) || isMarkup(t):
		return AsText
	}
	return AsNone
}

// Excerpt is the beginning of a text, at most max bytes of valid UTF-8 that ends
// with a whole character.
func Excerpt(b []byte, max int) (text []byte, cut bool) {
	if len(b) > max {
		b, cut = b[:max], true
		// A character that was cut through is left out.
		for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
			if c := b[len(b)-back]; utf8.RuneStart(c) {
				if !utf8.FullRune(b[len(b)-back:]) {
					b = b[:len(b)-back]
				}
				break
			}
		}
	}
	return bytes.ToValidUTF8(b, []byte("\ufffd")), cut
}

// Limits of what names and links may be.
const (
	NameMax = 255 // characters
	LinkMax = 4000
)

// Name makes a name safe to show anywhere: without control characters, and
// without those that turn the direction of writing, which make fdp.exe of exe.pdf.
func Name(name string) (string, error) {
	clean := strings.TrimSpace(strings.Map(func(r rune) rune {
		if isHidden(r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, name))
	switch n := utf8.RuneCountInString(clean); {
	case n == 0:
		return "", errors.New("it has no name")
	case n > NameMax:
		return "", fmt.Errorf("its name has %d characters; the limit is %d", n, NameMax)
	}
	return clean, nil
}

// isHidden are characters that show nothing and change how the rest looks.
// Joiners stay: some scripts are not written without them.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\ufeff' ||
		r == '\u2028' || r == '\u2029'
}

// Link says what is wrong with the address of something kept elsewhere. People
// will click on it, so nothing but a plain web address is taken.
func Link(address string) error {
	if len(address) > LinkMax {
		return fmt.Errorf("url has %d bytes; the limit is %d", len(address), LinkMax)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return errors.New("url is not an http or https address") // others may be code
	case u.User != nil:
		return errors.New("url has a name or password in it; leave them out")
	case strings.ContainsFunc(address, isHidden):
		return errors.New("url has characters that cannot be seen")
	}
	return nil
}
