package machine

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Apply applies one event. It decides nothing and never fails: the log is history.
func (s *State) Apply(e run.Event) {
	s.Seq = e.Seq
	if e.Cause != "" && !s.isDraft {
		if s.Answered == nil {
			s.Answered = map[string]int64{}
		}
		s.Answered[e.Cause] = e.Seq
	}
	switch f := e.Fact.(type) {
	case *run.RunStarted, *run.RunForked, *run.RunWaiting, *run.RunResumed, *run.RunPaused, *run.RunUnpaused,
		*run.RunReopened, *run.RunCancelling, *run.RunCompleted, *run.RunFailed, *run.RunCancelled, *run.RunLimitReached:
		s.applyRun(e)
	case *run.ApprovalNeeded, *run.ApprovalAutoApproved, *run.ApprovalDecided, *run.ApprovalResolved,
		*run.ApprovalCommented, *run.ApprovalReminder, *run.ApprovalEscalated, *run.ApprovalTimedOut,
		*run.ApprovalPaused, *run.GatePassed:
		s.applyApproval(e)
	case *run.TurnStarted, *run.TurnCompleted, *run.TurnRetrying, *run.NoteAdded, *run.CallRequested, *run.CallStarted,
		*run.CallRebound, *run.CallArgsChanged, *run.CallRetrying, *run.CallInputNeeded, *run.CallCompleted,
		*run.HandedOff, *run.LimitWarning, *run.LimitGranted, *run.LimitRaised:
		s.applyLoop(e)
	case *run.ConsultStarted, *run.ConsultRetrying, *run.ConsultRead, *run.ConsultAnswered, *run.PointPassed,
		*run.ReplanRequested, *run.ReplanAnswered, *run.ReplanSettled, *run.PlanChanged:
		s.applyPlan(e)
	case *run.StateUpdated:
		s.Answers = append(s.Answers, GateAnswer{Gate: f.Gate, Value: f.Value})
	case *run.PayloadsRemoved:
		s.Removed = &Removal{e.At, e.Actor, f.Reason}
	case *run.WarningRaised:
		s.Warnings = append(s.Warnings, f.Warning)
	case *run.MessageAdded:
		s.applyMessage(f.Message)
	case *run.AgentMessage:
		s.Messages++
		s.applyMessage(run.Message{From: run.Actor{Kind: run.Agent, Name: f.From}, To: f.To, Text: f.Text, At: e.At})
	case *run.DeliverableCreated:
		s.Deliverables = append(s.Deliverables, f.Deliverable)
	case *run.DeliverableMarked:
		s.applyMarked(f)
	case *run.ChildEnded:
		s.applyChildEnded(f)
	case *run.StepSpeculated, *run.SpeculationReturned, *run.SpeculationUsed, *run.SpeculationDiscarded:
		s.applyAhead(e)
	default:
		s.applyStep(e)
	}
}

func (s *State) applyRun(e run.Event) {
	switch f := e.Fact.(type) {
	case *run.RunStarted:
		s.Started, s.Input, s.StartedAt = *f, f.Input, e.At
		if f.RetryOf == "" { // a program that retries a run leaves it to its requester, who may have the same name
			s.Started.Owner = ownedBy(f.Owner, e.Actor)
		}
		s.Status, s.WorkSince = run.Running, e.At
		if f.Held { // anyone who forks here has to ask as well
			s.askStartAgain()
		}
	case *run.RunForked:
		s.applyFork(f, e.Actor, e.At)
	case *run.RunWaiting:
		s.Status = run.Waiting
		s.stopWork(e.At)
	case *run.RunResumed:
		s.Status, s.WorkSince = run.Running, e.At
	case *run.RunPaused:
		s.Status, s.Pause = run.Paused, f
		s.stopWork(e.At)
	case *run.RunUnpaused:
		s.Status, s.Pause, s.WorkSince = run.Running, nil, e.At
	case *run.RunReopened:
		s.applyReopened(e.At)
	case *run.RunCancelling:
		s.Cancelling, s.Pause = f, nil
		if s.Status != run.Running {
			s.Status, s.WorkSince = run.Running, e.At
		}
	case *run.RunCompleted:
		s.Output = f.Output
		s.end(run.Completed, e.At)
	case *run.RunFailed:
		s.Error, s.ErrorAt = &f.Error, e.At
		s.end(run.Failed, e.At)
	case *run.RunCancelled:
		s.end(run.Cancelled, e.At)
	case *run.RunLimitReached:
		s.Error, s.ErrorAt = limitFailure(f), e.At
		s.end(run.LimitReached, e.At)
	}
}

// stopWork stops the clock of working time. A clock that jumped back counts as zero.
func (s *State) stopWork(at time.Time) {
	if !s.WorkSince.IsZero() {
		s.Worked += max(at.Sub(s.WorkSince), 0)
		s.WorkSince = time.Time{}
	}
}

// end closes everything that was open.
func (s *State) end(status run.Status, at time.Time) {
	s.Status, s.EndedAt, s.Pause, s.Cancelling = status, at, nil, nil
	s.stopWork(at)
	s.Point.Asking, s.Replans = false, nil
	for i := range s.Steps {
		if st := s.Steps[i]; !st.Status.Settled() && st.Status != run.PendingStep {
			s.orphan(i)
			w := s.step(i)
			w.Status, w.EndedAt = run.CancelledStep, at
			s.Unsettled--
		}
	}
	s.Active = nil
}

// orphan records the sub-runs of a step that are no longer needed.
func (s *State) orphan(i int) {
	for k, t := range s.Steps[i].Tasks {
		if t.Child != "" && (t.Status == TaskRunning || t.Status == TaskBackoff) {
			s.Children = append(slices.Clip(s.Children), OpenChild{t.Child, s.KeyOf(i, k)})
		}
	}
}

func (s *State) applyStep(e run.Event) {
	switch f := e.Fact.(type) {
	case *run.LayerStarted:
		s.LayersBegun = f.Layer + 1
	case *run.StepStarted:
		s.applyStarted(f, e.At)
		s.count(f.Counted, e.At, f.Try)
	case *run.StepRebound:
		s.applyStepRebound(f)
	case *run.StepExpanded:
		i, _ := s.plan.Step(f.Step)
		if st := s.step(i); !f.Keeps {
			st.Tasks = make([]*Task, f.Count)
			for k := range st.Tasks {
				st.Tasks[k] = &Task{Status: TaskIdle, Rev: f.Rev, Guidance: st.Guidance, own: s.loans}
			}
			st.ownTasks, st.Open, st.Next, st.InFlight = true, f.Count, 0, 0
		}
		s.activate(i, e.At)
	case *run.StepReturned:
		i, _ := s.plan.Step(f.Step)
		s.Usage = s.Usage.Add(f.Result.Usage)
		k := max(indexOf(f.Index), 0)
		st := s.step(i)
		if len(st.Tasks) == 0 { // a test run's sample
			st.Tasks = []*Task{{own: s.loans}}
			st.ownTasks = true
		}
		t := s.task(i, k)
		t.Result, t.Status, t.Deadline = &f.Result, TaskReview, time.Time{}
		if f.Index != nil {
			st.InFlight--
		}
	case *run.StepCompleted:
		s.applyCompleted(f, e.At)
	case *run.ElementCompleted:
		s.applyElement(f)
	case *run.StepRetrying:
		i, _ := s.plan.Step(f.Step)
		s.Usage = s.Usage.Add(f.Error.Usage)
		t := s.task(i, max(indexOf(f.Index), 0))
		t.Status, t.RetryAt, t.Deadline, t.Error = TaskBackoff, f.RetryAt, time.Time{}, &f.Error
	case *run.StepFailed:
		i, _ := s.plan.Step(f.Step)
		s.Usage = s.Usage.Add(f.Error.Usage)
		s.orphan(i)
		st := s.step(i)
		st.Error = &f.Error
		s.settle(i, run.FailedStep, e.At)
	case *run.StepSkipped:
		i, _ := s.plan.Step(f.Step)
		s.orphan(i)
		s.step(i).Skipped = f.Why
		s.Loose = s.Loose || f.Why == run.SkipCommand
		s.settle(i, run.SkippedStep, e.At)
	case *run.StepRevised:
		s.applyRevised(f)
	case *run.StepArgsChanged:
		i, _ := s.plan.Step(f.Step)
		st := s.step(i)
		st.Patches = append(slices.Clip(st.Patches), f.Changes)
		st.Programmed = st.Programmed || e.Actor.Kind != run.Person
		if e.Actor.Kind != run.Agent {
			for key := range value.Members(f.Changes) {
				st.Given = append(slices.Clip(st.Given), key)
			}
		}
		if st.Input != nil { // people replaced it before: the patch goes on top
			st.Input = value.MergePatch(st.Input, f.Changes)
			st.Patches, st.Given = nil, nil
		}
		st.Status, st.Before = run.PendingStep, nil
		s.startOver(i)
	case *run.ChildWaiting:
		i, _ := s.plan.Step(f.Step)
		s.task(i, max(indexOf(f.Index), 0)).ChildWaiting = f.Waiting
	}
}

// startOver resets the attempts of a step that gets a new input: a different piece of work has a different
// key.
func (s *State) startOver(i int) {
	st := s.step(i)
	st.items = nil
	if len(st.Tasks) > 0 {
		st.Tasks, st.Rev, st.Open, st.Next, st.InFlight, st.Output = nil, st.Rev+1, 0, 0, 0, nil
	}
}

func (s *State) activate(i int, at time.Time) {
	st := s.step(i)
	if st.StartedAt.IsZero() {
		st.StartedAt = at
	}
	if st.Status != run.RunningStep {
		st.Status = run.RunningStep
		s.Active = append(s.Active, i)
	}
}

func (s *State) applyStarted(f *run.StepStarted, at time.Time) {
	i, _ := s.plan.Step(f.Step)
	st := s.step(i)
	if f.Index == nil && len(st.Tasks) == 0 {
		st.Tasks = []*Task{{Rev: f.Rev, Guidance: st.Guidance, own: s.loans}}
		st.ownTasks = true
	}
	k := max(indexOf(f.Index), 0)
	t := s.task(i, k)
	if f.Index != nil && t.Status != TaskBackoff {
		st.InFlight++
	}
	t.Status, t.Try, t.Deadline, t.RetryAt, t.Child, t.ChildWaiting = TaskRunning, f.Try, f.Deadline,
		time.Time{}, f.Child, false
	t.Approved = nil
	st.skipBegun()
	if f.Child != "" {
		s.ChildCount++
	}
	if n := &s.plan.Nodes[i]; IsLoop(n) && t.Loop == nil {
		var inbox []run.Message
		for _, m := range s.Thread {
			if m.Reaches(f.Step, n.Step.Performer()) {
				inbox = append(inbox, m)
			}
		}
		t.Loop, t.ownLoop = loop.New(n.Step.Performer(), at, inbox), s.isDraft
	} else if t.Loop == nil && f.Try == 1 {
		t.Inbox = s.sentTo(n.Step.Agent)
	}
	s.activate(i, at)
}

func (s *State) applyCompleted(f *run.StepCompleted, at time.Time) {
	i, _ := s.plan.Step(f.Step)
	st := s.step(i)
	switch {
	case f.Result != nil:
		st.Output = f.Result.Output
		s.Usage = s.Usage.Add(f.Result.Usage)
		if len(st.Tasks) > 0 {
			s.task(i, 0).Result = f.Result
		}
	case s.IsMap(i):
		st.Output = s.MapOutput(st)
	case len(st.Tasks) > 0 && st.Tasks[0].Result != nil:
		st.Output = st.Tasks[0].Result.Output
	}
	s.settle(i, run.DoneStep, at)
}

func (s *State) applyElement(f *run.ElementCompleted) {
	i, _ := s.plan.Step(f.Step)
	st, t := s.step(i), s.task(i, f.Index)
	if f.Result != nil {
		s.Usage = s.Usage.Add(f.Result.Usage)
		t.Result = f.Result
		if t.Status == TaskRunning {
			st.InFlight--
		}
	}
	t.Status, t.Deadline, t.Loop = TaskDone, time.Time{}, nil
	st.Open--
	st.skipBegun()
}

// skipBegun moves Next past the tasks that need no start.
func (st *Step) skipBegun() {
	for st.Next < len(st.Tasks) && st.Tasks[st.Next].Status != TaskIdle {
		st.Next++
	}
}

// settle settles a step for those that need it.
func (s *State) settle(i int, status run.StepStatus, at time.Time) {
	st := s.step(i)
	st.Status, st.EndedAt, st.InFlight = status, at, 0
	s.Unsettled--
	for k := range st.Tasks {
		// A failed step keeps its state: the run may be resumed from there.
		if status == run.DoneStep && (st.Tasks[k].Loop != nil || st.Tasks[k].Status != TaskDone) {
			t := s.task(i, k)
			t.Loop, t.Status, t.Deadline = nil, TaskDone, time.Time{}
		}
	}
	if !s.isDraft { // a draft leaves it in the list; readers check the status
		if at := slices.Index(s.Active, i); at >= 0 {
			s.Active = slices.Delete(s.Active, at, at+1)
		}
	}
	for _, k := range s.plan.Nodes[i].Dependents {
		if s.Steps[k].Unmet > 0 {
			s.step(k).Unmet--
		}
	}
}

// applyRevised sends work back. Elements of a map go back alone; a step takes everything built on it along.
func (s *State) applyRevised(f *run.StepRevised) {
	i, _ := s.plan.Step(f.Step)
	if f.Index != nil {
		st, t := s.step(i), s.task(i, *f.Index)
		if t.Status == TaskRunning || t.Status == TaskBackoff { // its call was sent back
			st.InFlight--
		}
		*t = Task{Status: TaskIdle, Rev: f.Rev, Guidance: append(slices.Clip(t.Guidance), f.Guidance),
			Input: t.Input, own: t.own}
		st.Rev, st.Next = f.Rev, min(st.Next, *f.Index)
		return
	}
	guidance := append(slices.Clip(s.Steps[i].Guidance), f.Guidance)
	input := s.Steps[i].Input
	redo := []int{i}
	for _, id := range f.Redo {
		k, _ := s.plan.Step(id)
		redo = append(redo, k)
	}
	for _, k := range redo {
		s.orphan(k)
	}
	s.reset(redo)
	st := s.step(i)
	st.Rev, st.Guidance, st.Input = f.Rev, guidance, input
	s.EndPlace, s.Output = nil, nil
}

func (s *State) applyMessage(m run.Message) {
	s.Thread = append(s.Thread, m)
	for _, i := range s.Active {
		if s.Steps[i].Status != run.RunningStep {
			continue
		}
		for k, t := range s.Steps[i].Tasks {
			if t.Loop == nil || !m.Reaches(s.plan.Nodes[i].Step.ID, t.Loop.Agent) {
				continue
			}
			l := s.loop(i, k)
			l.Inbox = append(slices.Clip(l.Inbox), m)
		}
	}
}

// ownedBy returns the key of a run's owner. Logs from before keys existed name a program that started a run
// as if it were a person.
func ownedBy(owner string, by run.Actor) string {
	if owner == by.Name {
		return by.Key()
	}
	return owner
}

// sentTo returns the newest messages that agents sent to an agent, oldest first.
func (s *State) sentTo(agent string) (out []run.Message) {
	for _, m := range slices.Backward(s.Thread) {
		if m.From.Kind == run.Agent && m.To != "" && m.To == agent && len(out) < run.UnreadMax {
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out
}
