package outline

func (b *builder) fillGaps()   {}
func (b *builder) synthesise() {}
