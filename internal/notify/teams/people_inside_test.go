package teams

import (
	"fmt"
	"testing"
)

func TestConversationsThatAreRemembered(t *testing.T) {
	var c Channel
	for n := range chatsMax + 10 {
		if c.remember(fmt.Sprint(n), "chat"); c.chats[fmt.Sprint(n)] != "chat" || len(c.chats) > chatsMax {
			t.Fatalf("%d conversations after %d", len(c.chats), n+1)
		}
	}
}
