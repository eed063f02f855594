package schemas_test

import (
	"fmt"

	"github.com/fingerpost/fingerpost/schemas"
)

func ExampleValidate() {
	fmt.Println(schemas.Validate("find.request", []byte(`{"question": "goodwill at the end of 2022", "k": 3}`)))
	fmt.Println(schemas.Validate("find.request", []byte(`{"question": "goodwill at the end of 2022", "limit": 3}`)))
	// Output:
	// <nil>
	// find.request: the message has "limit", which is not known here
}
