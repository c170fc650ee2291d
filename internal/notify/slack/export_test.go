package slack

// Render is for tests.
var Render = render
