package workers

// Version of the program, semver.
const Version = "0.1.0"
