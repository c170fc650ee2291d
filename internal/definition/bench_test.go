package definition

import (
	"fmt"
	"testing"
	"testing/fstest"
)

// smallDocuments is a folder of n small documents, ten to a file: workflows of
// three steps and a gate, with their agents.
func smallDocuments(n int) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := range n {
		name := fmt.Sprintf("flows/%04d.yaml", i/10)
		if fsys[name] == nil {
			fsys[name] = &fstest.MapFile{}
		}
		text := fmt.Sprintf("---\nagent: agent_%d\nkind: http\nurl: http://127.0.0.1:9000/%d\ninput: { type: object, "+
			"required: [id], properties: { id: { type: string } } }\n", i, i)
		if i%2 == 0 {
			text = fmt.Sprintf("---\nworkflow: flow-%d\ntimeout: 15m\nsteps:\n  - { id: a, agent: agent_%d }\n  - id: b\n    "+
				"agent: agent_%d\n    if: a.score > 0.5\n    with: { id: a.id }\n"+
				"  - { id: c, agent: agent_%d, needs: [a, b] }\ngates:\n  - { id: g, at: after b, when: amount > 100, role: "+
				"approver, timeout: { after: 1h, then: cancel } }\n", i, i+1, i+1, i+1)
		}
		fsys[name].Data = append(fsys[name].Data, text...)
	}
	return fsys
}

func BenchmarkLoad1000(b *testing.B) {
	fsys := smallDocuments(1000)
	b.ReportAllocs()
	for b.Loop() {
		set, problems := Load(fsys, ".")
		if len(problems) > 0 || len(set.Agents) != 500 || len(set.Workflows) != 500 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkLoadAndCheck1000(b *testing.B) {
	fsys := smallDocuments(1000)
	b.ReportAllocs()
	for b.Loop() {
		set, _ := Load(fsys, ".")
		if problems := set.Check(nil); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkExport1000(b *testing.B) {
	set, _ := Load(smallDocuments(1000), ".")
	b.ReportAllocs()
	for b.Loop() {
		if len(set.YAML()) == 0 {
			b.Fatal("nothing")
		}
	}
}
