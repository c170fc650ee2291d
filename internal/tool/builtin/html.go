package builtin

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// document is a page without code and styles.
type document struct {
	title, text string
	links       []link
}

type link struct {
	Text string `json:"text,omitempty"`
	URL  string `json:"url"`
}

// Elements without readable content.
var unread = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true,
	atom.Iframe: true, atom.Object: true,
	atom.Canvas: true, atom.Audio: true, atom.Video: true, atom.Noframes: true, atom.Select: true, atom.Math: true,
}

// Elements that begin a line, and those that also add an empty one.
var (
	lines = map[atom.Atom]bool{
		atom.Div: true, atom.Tr: true, atom.Li: true, atom.Dt: true, atom.Dd: true, atom.Option: true, atom.Figcaption: true,
		atom.Summary: true, atom.Caption: true, atom.Form: true,
	}
	paragraphs = map[atom.Atom]bool{
		atom.P: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
		atom.Ul: true, atom.Ol: true, atom.Dl: true, atom.Table: true,
		atom.Pre: true, atom.Blockquote: true, atom.Section: true, atom.Article: true, atom.Header: true, atom.Footer: true,
		atom.Nav: true, atom.Main: true, atom.Aside: true, atom.Hr: true,
		atom.Figure: true, atom.Details: true, atom.Fieldset: true,
	}
)

// tokenMax limits one token: a page with a longer one is not a page.
const tokenMax = 1 << 20

// extract reads a page as a stream of tags: without a tree, deep nesting costs no more than its length.
func extract(page string, base *url.URL) document {
	e := extractor{base: base}
	z := html.NewTokenizer(strings.NewReader(page))
	z.SetMaxBuf(tokenMax)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		switch kind {
		case html.TextToken:
			e.words(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			e.start(z, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := z.TagName()
			e.end(atom.Lookup(name))
		}
	}
	return document{strings.Join(strings.Fields(e.title.String()), " "), strings.TrimSpace(e.out.String()), e.links}
}

type extractor struct {
	out, title strings.Builder
	base       *url.URL
	links      []link
	link       *link // that is open
	skip       atom.Atom
	depth      int // of skip in itself
	pre        int
	inTitle    bool
	breaks     int  // line breaks before the next word
	space      bool // a space before the next word
}

func (e *extractor) start(z *html.Tokenizer, selfClosing bool) {
	name, hasAttributes := z.TagName()
	tag := atom.Lookup(name)
	if e.skip != 0 {
		if tag == e.skip && !selfClosing {
			e.depth++
		}
		return
	}
	if unread[tag] {
		if !selfClosing {
			e.skip, e.depth = tag, 1
		}
		return
	}
	switch tag {
	case atom.Title:
		e.inTitle = e.title.Len() == 0
	case atom.Br:
		e.feed(1)
	case atom.Pre:
		e.pre++
	case atom.Td, atom.Th:
		e.space = true
	case atom.Base, atom.A, atom.Img:
		e.attributes(z, tag, hasAttributes)
	}
	e.layout(tag)
	if tag == atom.Li {
		e.words("- ")
	}
}

func (e *extractor) end(tag atom.Atom) {
	if e.skip != 0 {
		if tag == e.skip {
			if e.depth--; e.depth == 0 {
				e.skip = 0
			}
		}
		return
	}
	switch tag {
	case atom.Title:
		e.inTitle = false
	case atom.Pre:
		e.pre = max(e.pre-1, 0)
	case atom.A:
		e.closeLink()
	}
	e.layout(tag)
}

func (e *extractor) layout(tag atom.Atom) {
	switch {
	case paragraphs[tag]:
		e.feed(2)
	case lines[tag]:
		e.feed(1)
	}
}

func (e *extractor) feed(n int) { e.breaks = max(e.breaks, n) }

func (e *extractor) attributes(z *html.Tokenizer, tag atom.Atom, more bool) {
	for more {
		var key, val []byte
		key, val, more = z.TagAttr()
		switch {
		case tag == atom.Base && string(key) == "href":
			if u, err := e.base.Parse(string(val)); err == nil {
				e.base = u
			}
		case tag == atom.Img && string(key) == "alt":
			e.words(" " + string(val) + " ")
		case tag == atom.A && string(key) == "href":
			e.closeLink()
			u, err := e.base.Parse(strings.TrimSpace(string(val)))
			if err == nil && (u.Scheme == "http" || u.Scheme == "https") && len(e.links) < linksMax {
				u.Fragment = ""
				e.link = &link{URL: u.String()}
			}
		}
	}
}

// linkMax limits the text of a link.
const linkMax = 200

func (e *extractor) closeLink() {
	if e.link != nil {
		e.link.Text = strings.Join(strings.Fields(e.link.Text), " ")
		e.links = append(e.links, *e.link)
		e.link = nil
	}
}

// words writes text, with whitespace as a reader would see it.
func (e *extractor) words(s string) {
	switch {
	case e.skip != 0:
		return
	case e.inTitle:
		e.title.WriteString(s)
		return
	}
	if e.link != nil && len(e.link.Text) < linkMax {
		e.link.Text = strings.ToValidUTF8(e.link.Text+" "+s[:min(len(s), linkMax)], "")
	}
	if e.pre > 0 {
		e.flush()
		e.out.WriteString(strings.ReplaceAll(s, "\r", ""))
		return
	}
	fields := strings.Fields(s)
	if len(fields) == 0 {
		e.space = e.space || s != ""
		return
	}
	if strings.TrimLeft(s, " \t\r\n\f\u00a0") != s {
		e.space = true
	}
	for i, f := range fields {
		if i > 0 {
			e.space = true
		}
		e.flush()
		e.out.WriteString(f)
	}
	e.space = strings.TrimRight(s, " \t\r\n\f\u00a0") != s
}

// flush writes pending whitespace.
func (e *extractor) flush() {
	if e.out.Len() > 0 {
		switch {
		case e.breaks > 0:
			e.out.WriteString(strings.Repeat("\n", e.breaks))
		case e.space:
			e.out.WriteByte(' ')
		}
	}
	e.breaks, e.space = 0, false
}
