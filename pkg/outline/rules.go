package outline

// rule is what a title says of its place.
type rule struct {
	family string
	number string
}
