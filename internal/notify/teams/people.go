package teams

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/notify"
)

// Member is a person in a conversation.
type Member struct {
	ID     string // of the user
	Object string // their id in their tenant
	Name   string
	// Principal is their name in the tenant of the bot, in a domain that the tenant has verified. Empty: they belong to
	// another tenant, or the bot names none.
	Principal string
}

type memberForm struct {
	ID        string `json:"id"`
	Object    string `json:"aadObjectId"`
	Name      string `json:"name"`
	Principal string `json:"userPrincipalName"`
	Tenant    string `json:"tenantId"`
}

func (c *Channel) member(f memberForm) Member {
	m := Member{ID: f.ID, Object: f.Object, Name: f.Name}
	if c.bot.Tenant != "" && f.Tenant == c.bot.Tenant && !strings.Contains(f.Principal, "#EXT#") {
		m.Principal = strings.ToLower(f.Principal)
	}
	return m
}

// Member looks up who is in a conversation. E-mail addresses do not count: people can change them.
func (c *Channel) Member(ctx context.Context, conversation, user string) (Member, error) {
	var answer memberForm
	err := c.call(ctx, http.MethodGet, c.conversation(conversation)+"/members/"+url.PathEscape(user), nil, &answer)
	if err != nil {
		return Member{}, err
	}
	return c.member(answer), nil
}

func (c *Channel) conversation(id string) string {
	return c.bot.ServiceURL + "/v3/conversations/" + url.PathEscape(id)
}

const (
	membersPage = 100
	membersMax  = 300 // in larger rooms people press Refresh card
	membersFor  = 10 * time.Minute
)

// members lists who is in the room.
func (c *Channel) members(ctx context.Context) ([]Member, error) {
	c.mu.Lock()
	known, at := c.people, c.counted
	c.mu.Unlock()
	if time.Since(at) < membersFor {
		return known, nil
	}
	all, next := []Member{}, ""
	for {
		var page struct {
			Members []memberForm `json:"members"`
			Next    string       `json:"continuationToken"`
		}
		query := url.Values{"pageSize": {strconv.Itoa(membersPage)}}
		if next != "" {
			query.Set("continuationToken", next)
		}
		err := c.call(ctx, http.MethodGet, c.conversation(c.bot.Conversation)+"/pagedmembers?"+query.Encode(), nil, &page)
		if err != nil {
			return nil, err
		}
		for _, f := range page.Members {
			all = append(all, c.member(f))
		}
		if next = page.Next; next == "" || len(page.Members) == 0 || len(all) >= membersMax {
			break
		}
	}
	c.mu.Lock()
	c.people, c.counted = all, time.Now()
	c.mu.Unlock()
	return all, nil
}

// readers are the users for whom a card is drawn at once: those who may decide. nil: unknown.
func (c *Channel) readers(ctx context.Context, m notify.Message) []string {
	if c.config.Deciders == nil || len(m.Acts) == 0 || m.Settled || c.bot.Conversation == "" {
		return nil
	}
	members, err := c.members(ctx)
	if err == nil {
		members, err = c.config.Deciders(ctx, c.bot.Tenant, m.Approval, members)
	}
	if err != nil {
		return nil
	}
	out := []string{}
	for _, m := range members {
		if m.ID != "" {
			out = append(out, m.ID)
		}
	}
	return out
}

func unlinked(person string) string {
	return person + " has no linked user in Teams: they get a link when they write to the bot"
}

// Reaches implements notify.Reacher.
func (c *Channel) Reaches(ctx context.Context, person string) (why string) {
	if c.config.User == nil {
		return unlinked(person)
	}
	if user, err := c.config.User(ctx, c.bot.Tenant, person); err == nil && user == "" {
		return unlinked(person)
	}
	return ""
}

// with is the conversation with a person.
func (c *Channel) with(ctx context.Context, person string) (string, error) {
	user := ""
	if c.config.User != nil {
		var err error
		if user, err = c.config.User(ctx, c.bot.Tenant, person); err != nil {
			return "", notify.Failed("look up the user of %s in Teams: %v", person, err)
		}
	}
	if user == "" {
		return "", &notify.Failure{Permanent: true, Unreachable: true, Why: unlinked(person)}
	}
	c.mu.Lock()
	known := c.chats[user]
	c.mu.Unlock()
	if known != "" {
		return known, nil
	}
	body := object{"bot": object{"id": "28:" + c.bot.ID}, "isGroup": false, "members": []any{object{"id": user}}}
	if c.bot.Tenant != "" {
		body["tenantId"] = c.bot.Tenant
		body["channelData"] = object{"tenant": object{"id": c.bot.Tenant}}
	}
	var answer struct{ ID string }
	err := c.call(ctx, http.MethodPost, c.bot.ServiceURL+"/v3/conversations", body, &answer)
	if f, ok := errors.AsType[*notify.Failure](err); ok {
		f.Unknown = false // no message was sent
		return "", f
	}
	if err != nil {
		return "", err
	}
	if answer.ID == "" {
		return "", notify.Failed("Teams' response names no conversation")
	}
	c.remember(user, answer.ID)
	return answer.ID, nil
}

func (c *Channel) remember(user, conversation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chats == nil || len(c.chats) >= chatsMax {
		c.chats = map[string]string{}
	}
	c.chats[user] = conversation
}
