// Package source turns files into Source Markdown, the only text that is ever quoted.
//
// A file is known by its content, never by its name alone. The table in formats.go holds the
// formats; adding one is a folder below this package and a row in that table. What no row takes
// ends as skipped (class unsupported or empty).
//
// For Markdown and plain text only the encoding changes, and every line keeps the number the
// user's editor shows:
//
//   - a byte order mark is dropped; UTF-16 (either order, with or without a mark) becomes UTF-8;
//   - CRLF becomes LF. A lone CR ends a line only in a file that has no LF at all (the old
//     Macintosh form): editors and grep, wc and git count LF, and vim and its like fall back to CR just
//     when there is no LF. In a file with LF a lone CR becomes a blank, so that no later reader
//     sees a line there (CommonMark 2.1 would) and the numbers stay those of LF;
//   - NUL and bytes that are no UTF-8 become U+FFFD and are counted (CommonMark 2.3 for NUL);
//   - VT, FF, NEL, U+2028 and U+2029 stay as they are and end no line (CommonMark 2.1).
//
// A file that needs none of this is not copied.
package source
