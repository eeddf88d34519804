"""Where student code runs: a bubblewrap sandbox with one zygote in it, and a forked process a submission and a test."""
