package workers

// Version of the program, semver.
var Version = "0.1.0" // a build may name another one: -ldflags "-X github.com/fingerpost/fingerpost/workers.Version=0.1.1-mine"
