"""What makes the book of its chapters: the build, the downloads, the extensions of Sphinx."""
