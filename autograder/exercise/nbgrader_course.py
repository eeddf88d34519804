"""nbgrader's settings for making release versions: one place, for this repository and for an instructor's own course folder."""

from autograder.assignment import ROOT

SOURCE = ROOT / "_build" / "source"
EXERCISES = ROOT / "exercises"
YOUR_CODE = {"en": "YOUR CODE HERE", "sv": "SKRIV DIN KOD HÄR", "zh-CN": "在此处编写代码", "ru": "ВАШ КОД ЗДЕСЬ"}


def configure(config, language, source=SOURCE, exercises=EXERCISES):
    """Set in nbgrader's `config` where the source and the release versions of a language lie, and what a stub says.

    The folders are absolute, so that the course folder (`CourseDirectory.root`, with submissions and gradebook) can be anywhere.
    """
    if language not in YOUR_CODE:
        raise ValueError(f"the course has no language {language!r} (COURSE_LANGUAGE); it has: {', '.join(YOUR_CODE)}")
    config.CourseDirectory.source_directory = str(source / language)
    config.CourseDirectory.release_directory = str(exercises / language)
    config.ClearSolutions.code_stub = {"python": f"# {YOUR_CODE[language]}\nraise NotImplementedError()"}
