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

// Show is how content may be shown inside a page.
type Show string

const (
	AsText  Show = "text"  // as plain text, markup included
	AsImage Show = "image" // as it is: images without scripts
	AsNone  Show = "none"  // download only
)

// Images are image types that browsers draw and never execute.
var Images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Look returns how content that begins with head may be shown, and its type. It trusts only the bytes.
func Look(head []byte) (Show, string) {
	switch shown := sniff(head); {
	case slices.Contains(Images, shown):
		return AsImage, shown
	case (shown == Text || isMarkup(shown)) && bytes.IndexByte(head, 0) < 0:
		return AsText, Text
	}
	return AsNone, ""
}

// Shows returns the same for a type returned by Of.
func Shows(t string) Show {
	switch {
	case slices.Contains(Images, t):
		return AsImage
	case isText(t) || isMarkup(t):
		return AsText
	}
	return AsNone
}

// Excerpt is the beginning of a text, at most max bytes of valid UTF-8 that ends with a whole character.
func Excerpt(b []byte, max int) (text []byte, cut bool) {
	if len(b) > max {
		b, cut = b[:max], true
		// A truncated character is removed.
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

// Limits of names and links.
const (
	NameMax = 255 // characters
	LinkMax = 4000
)

// Name makes a name safe to show anywhere: without control characters, and without those that change the writing
// direction, which turn exe.pdf into fdp.exe.
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

// isHidden are invisible characters that change the rest of the text. Joiners are kept: some scripts need them.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\ufeff' ||
		r == '\u2028' || r == '\u2029'
}

// Link checks the address of content stored elsewhere. People will click on it, so only a plain web address is
// accepted.
func Link(address string) error {
	if len(address) > LinkMax {
		return fmt.Errorf("url has %d bytes; the limit is %d", len(address), LinkMax)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return errors.New("url is not an http or https address") // others may be code
	case u.User != nil:
		return errors.New("url contains a name or password; remove them")
	case strings.ContainsFunc(address, isHidden):
		return errors.New("url contains invisible characters")
	}
	return nil
}
