package cli

import "github.com/spf13/cobra"

// commands lists all commands, in the order of the help page.
func (t *tool) commands() []*cobra.Command {
	out := []*cobra.Command{t.inboxCommand(), t.showCommand()}
	out = append(out, t.decideCommands()...)
	out = append(out, t.runCommand(), t.runsCommand(), t.eventsCommand(), t.replayCommand(),
		t.snapshotsCommand(), t.forkCommand(), t.deliverablesCommand(), t.deliverableCommand())
	out = append(out, t.steerCommands()...)
	out = append(out, t.policyCommand(), t.lessonsCommand())
	return append(out, t.workflowsCommand(), t.toolsCommand(), t.suggestCommand(), t.graphCommand(),
		t.agentsCommand(), t.schedulesCommand(), t.triggersCommand(), t.newCommand(),
		t.validateCommand(), t.loadCommand(), t.importCommand(), t.exportCommand(), t.schemaCommand(),
		t.serveCommand(), t.workerCommand(), t.mcpCommand(), t.authCommand(),
		t.channelsCommand(), t.deliveriesCommand(), t.auditCommand(),
		t.configCommand(), t.doctorCommand(),
		t.verifyCommand(), t.backupCommand(), t.restoreCommand(), t.keysCommand(), t.versionCommand())
}
