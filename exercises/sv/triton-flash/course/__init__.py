"""What a student's notebook imports: `from course import check`, then `check("softmax")` runs a part's public checks at once."""

from .checking import check

__all__ = ["check"]
