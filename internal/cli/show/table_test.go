package show

import (
	"fmt"
	"strings"
	"testing"
)

// inboxLike is a table with everything that makes lines long.
func inboxLike() ([]Column, [][]string) {
	columns := []Column{
		{Title: "WAITING", Right: true}, {Title: "RISK"}, {Title: "TITLE", Min: 40}, {Title: "WHERE", Min: 20, Under: true},
		{Title: "ASKED", Min: 12, Under: true}, {Title: "DEADLINE", Min: 12, Under: true, Optional: true},
		{Title: "ID", Under: true},
	}
	titles := []string{
		"Pay this refund and send this e-mail to the customer, who has been waiting for it since the end of last year",
		"顧客への返金を承認し、確認のメールを送信する。金額は注文の合計と同じです",
		"🚀 Deploy 👩‍👩‍👧‍👦 to production", "Pay",
	}
	rows := make([][]string, len(titles))
	for i, title := range titles {
		rows[i] = []string{"4 min 12 s", "CRITICAL", title, "refund-email-with-a-long-name › propose", "finance, legal 1/2",
			"in 3 h, then rejected", fmt.Sprintf("apr_06gxvyk8n785rvwy2b1hyepasc_%d", i+1)}
	}
	return columns, rows
}

// No line is wider than the terminal, every id is complete, and titles have room.
func TestTableFits(t *testing.T) {
	columns, rows := inboxLike()
	for _, width := range []int{34, 40, 60, 80, 100, 120, 160, 200, 300} {
		var b strings.Builder
		if err := Table(&b, Plain(), width, columns, rows); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if w := Width(strings.TrimRight(line, "\n")); w > width {
				t.Errorf("%d columns: a line of %d: %s", width, w, line)
			}
		}
		for _, row := range rows {
			if !strings.Contains(b.String(), row[len(row)-1]) {
				t.Errorf("%d columns: no %s in\n%s", width, row[len(row)-1], b.String())
			}
			if start := Cut(row[2], min(width-24, 40)); width >= 60 &&
				!strings.Contains(b.String(), strings.TrimSuffix(start, "…")) {
				t.Errorf("%d columns: no room for %q in\n%s", width, row[2], b.String())
			}
		}
	}
}

func TestTableStacks(t *testing.T) {
	columns, rows := inboxLike()
	rows = rows[3:]
	var b strings.Builder
	if err := Table(&b, Plain(), 80, columns, rows); err != nil {
		t.Fatal(err)
	}
	want := "   WAITING  RISK      TITLE\n4 min 12 s  CRITICAL  Pay\n            apr_06gxvyk8n785rvwy2b1hyepasc_4  " +
		"refund-e… · finance,… · in 3 h, t…\n"
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestOptionalColumns(t *testing.T) {
	columns := []Column{{Title: "A"}, {Title: "B", Optional: true}, {Title: "C"}}
	var b strings.Builder
	if err := Table(&b, Plain(), 0, columns, [][]string{{"1", "", "3"}}); err != nil {
		t.Fatal(err)
	}
	if b.String() != "A  C\n1  3\n" {
		t.Errorf("got %q", b.String())
	}
}

func TestHang(t *testing.T) {
	line := "    5  02:28:09  write      waiting for support_lead: Pay this refund  apr_06gy4bqf71cb3fk9y24ncx534c_1"
	got := strings.Join(Hang(line, 28, 80), "\n")
	want := "    5  02:28:09  write      waiting for support_lead: Pay this refund\n                            " +
		"apr_06gy4bqf71cb3fk9y24ncx534c_1"
	if got != want {
		t.Errorf("got\n%s", got)
	}
	for _, width := range []int{0, 120} {
		if got := Hang(line, 28, width); len(got) != 1 || got[0] != line {
			t.Errorf("at %d: %q", width, got)
		}
	}
	for _, one := range Hang(line, 28, 40) {
		if Width(one) > 40 {
			t.Errorf("wider than 40: %q", one)
		}
	}
}
