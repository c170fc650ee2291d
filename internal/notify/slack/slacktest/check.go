package slacktest

import (
	"regexp"
	"unicode/utf8"
)

const invalid = "invalid_blocks"

// control is what Slack would read as a mention or a link.
var control = regexp.MustCompile(`<[^>]*>?`)

// Check is what Slack checks of blocks, and that no text contains a mention or a link.
func Check(list []any, most int) (out []map[string]any, code string) {
	if len(list) == 0 || len(list) > most {
		return nil, invalid
	}
	total, ids := 0, map[string]bool{}
	for _, x := range list {
		b, ok := x.(map[string]any)
		if !ok || !checkBlock(b, &total) {
			return nil, invalid
		}
		if id, ok := b["block_id"].(string); ok {
			if ids[id] || len(id) > 255 {
				return nil, invalid
			}
			ids[id] = true
		}
		out = append(out, b)
	}
	if total > 13_200 {
		return nil, "msg_blocks_too_long"
	}
	return out, ""
}

func checkBlock(b map[string]any, total *int) bool {
	elements, _ := b["elements"].([]any)
	switch b["type"] {
	case "divider":
		return true
	case "header":
		return checkText(b["text"], 150, true, total)
	case "section":
		fields, has := b["fields"].([]any)
		if b["text"] == nil && (!has || len(fields) == 0) || len(fields) > 10 {
			return false
		}
		for _, f := range fields {
			if !checkText(f, 2000, false, total) {
				return false
			}
		}
		accessory := b["accessory"] == nil || checkButton(b["accessory"], map[string]bool{}, total)
		return accessory && (b["text"] == nil || checkText(b["text"], 3000, false, total))
	case "context":
		if len(elements) == 0 || len(elements) > 10 {
			return false
		}
		for _, e := range elements {
			if !checkText(e, 3000, false, total) {
				return false
			}
		}
		return true
	case "actions":
		ids := map[string]bool{}
		if len(elements) == 0 || len(elements) > 25 {
			return false
		}
		for _, e := range elements {
			if !checkButton(e, ids, total) {
				return false
			}
		}
		return true
	case "input":
		element, _ := b["element"].(map[string]any)
		id, _ := element["action_id"].(string)
		initial, _ := element["initial_value"].(string)
		return id != "" && len(initial) <= 3000 && checkText(b["label"], 2000, true, total)
	}
	return false
}

func checkButton(x any, ids map[string]bool, total *int) bool {
	e, _ := x.(map[string]any)
	id, _ := e["action_id"].(string)
	value, _ := e["value"].(string)
	url, _ := e["url"].(string)
	if e["type"] != "button" || id == "" || len(id) > 255 || ids[id] || len(value) > 2000 || len(url) > 3000 {
		return false
	}
	ids[id] = true
	style, styled := e["style"]
	return (!styled || style == "primary" || style == "danger") && checkText(e["text"], 75, true, total)
}

func checkText(x any, most int, plain bool, total *int) bool {
	t, _ := x.(map[string]any)
	text, _ := t["text"].(string)
	*total += utf8.RuneCountInString(text)
	switch t["type"] {
	case "plain_text":
	case "mrkdwn":
		if plain || t["verbatim"] != true {
			return false
		}
	default:
		return false
	}
	return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && !control.MatchString(text)
}
