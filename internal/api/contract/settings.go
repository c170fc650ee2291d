package contract

// SettingSource is where the value of a setting comes from.
type SettingSource string

const (
	FromFlag        SettingSource = "flag"        // of the command line
	FromEnvironment SettingSource = "environment" // a variable
	FromFile        SettingSource = "file"        // the configuration file
	FromDefault     SettingSource = "default"
)

// SettingSources lists all sources, the strongest first.
var SettingSources = []SettingSource{FromFlag, FromEnvironment, FromFile, FromDefault}

// Setting is one setting of the server.
type Setting struct {
	Name    string        `json:"name"`    // As in the configuration file.
	Summary string        `json:"summary"` // What it is for.
	Value   string        `json:"value"`   // Empty if it is a secret, or not set.
	Secret  bool          `json:"secret"`  // Then value is always empty; set shows whether there is one.
	Set     bool          `json:"set"`     // Whether it has a value.
	Source  SettingSource `json:"source"`  // Where the value comes from.
	From    string        `json:"from"`    // The flag, the variable, or the file with its line; default otherwise.
	Flag    string        `json:"flag"`    // The flag that sets it.
	Env     string        `json:"env"`     // The variable that sets it.
}

// Settings are the settings in force. They are changed where the server is started.
type Settings struct {
	Version string    `json:"version"` // Of the program.
	File    string    `json:"file"`    // The configuration file that was read; empty: none.
	Items   []Setting `json:"items"`   // Every setting.
}

func settingOperations() []Operation {
	return []Operation{{
		Method: "GET", Path: Base + "/settings", ID: "getSettings", Tag: "Access",
		Summary: "Show the settings in force and where they come from",
		Description: "For administrators. Read only: settings are changed by flags, variables or the configuration file. " +
			"Secrets are never shown, only whether they are set.",
		Gives: Settings{},
	}}
}
