package table

// Limits. They bound what a few bytes can claim; no text is dropped by them: what lies beyond
// maxRows and maxCells stays text.
const (
	maxRows     = 300_000   // rows of all tables of one text
	maxCells    = 2_000_000 // and their cells
	maxRowCells = 100_000   // cells of one line of a pipe table
	maxSpan     = 1000      // colspan and rowspan, as in the HTML standard
	maxWidth    = 10000     // columns that spans may claim; cells that stand in the Source always count
	maxHeads    = 64        // headers of one table
	maxHeadRow  = 8         // rows of one header
	maxParents  = 6
	maxLook     = 60   // rows looked at to tell whether one above them is a header
	maxAhead    = 4    // lines looked at above a table
	maxNotes    = 100  // footnotes below one table
	maxNote     = 2000 // bytes of a line that can still be a footnote or a caption
)
