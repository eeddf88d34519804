"""Experiments that take longer than a chapter may: each script writes its numbers into a JSON file beside it."""
