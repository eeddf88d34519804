"""Measurements of speed, as ratios within one run. They are no tests: nothing here decides whether the course is right."""
