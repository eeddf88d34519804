"""Reports of a class: from a folder of results to a page, tables and the formats of other tools. Nothing in a result is trusted."""
