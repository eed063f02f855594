// Package markdown reads the skeleton of a Markdown text: its headings and its page marks.
//
// It is a scanner of its own that goes over the bytes once and gives every line CommonMark's
// meaning (version 0.31.2, https://spec.commonmark.org/0.31.2): block quotes (5.1), list items
// (5.2), ATX headings (4.2), setext headings (4.3), indented code (4.4), fences (4.5), HTML
// blocks (4.6), link reference definitions (4.7) and lazy continuation lines (5.1). It holds no
// copy of the text, allocates nothing a line, and takes time linear in the length of the text
// whatever the text is.
//
// Where it differs from the standard it does so on purpose:
//
//   - Headings inside block quotes and list items are found, and marked with their container:
//     there a heading is content of its container (5, "Container blocks") and opens no section
//     of the document.
//   - Front matter (YAML between "---" lines, TOML between "+++" lines) at the very start is no
//     text, although 4.1 and 4.3 would read a thematic break and a setext heading.
//   - A byte order mark at the very start is skipped (the standard is silent).
//   - Containers nest to MaxDepth; deeper markers are text.
//   - Title drops a trailing attribute list ({#id .class}, {: #id }) and footnote marks ([^1]).
package markdown
