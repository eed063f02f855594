package minilm

// Shapes that the kernels share. All of the model's sizes are multiples of them.
const (
	panel = 16 // outputs whose weights lie together
	pair  = 32 // columns of one float32 tile: two panels
	block = 64 // columns of one integer tile at most: four panels
	tile  = 6  // rows of one tile
)

// rowBlock is how many rows meet all columns before the next rows: their inputs stay in the
// first-level cache.
const rowBlock = 4 * tile

// kernels is one way to do the model's arithmetic. All ways give the same vectors but for rounding.
type kernels struct {
	name string
	// product is dst = aW + b for rows (a multiple of tile) of w.k inputs and w.n outputs.
	product func(s *scratch, w *matrix, dst, a []float32, rows int)
	// tile is c = ab for 6 rows of k inputs (lda numbers from row to row) and 32 columns (ldc), b
	// being two panels [2][k][16].
	tile func(k int, a []float32, lda int, b, c []float32, ldc int)
	// softmax makes x, a multiple of 16 long, positive and of sum one.
	softmax func(x []float32)
	// gelu is x/2 (1 + erf(x/sqrt 2)) of each number; len(x) is a multiple of 16.
	gelu func(x []float32)
	// addNormalise is x = LayerNorm(x + y), row by row; y may be nil.
	addNormalise func(x, y []float32, n layerNorm)
}

// generic is in plain Go.
var generic = &kernels{"generic", productGo, tileGo, softmaxGo, geluGo, addNormaliseGo}
