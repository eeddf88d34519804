"""Sections that keep to their room, in bytes, each for itself: what one student has filled takes nothing away from the others."""


def fitting(parts, room):
    """(as many of the texts as find room, from the first on, how many are left out)."""
    kept = []
    for part in parts:
        room -= len(part.encode())
        if room < 0:
            break
        kept.append(part)
    return kept, len(parts) - len(kept)


def flags(results, part_of, sizes, room):
    """The same of the flagged students' texts, part_of(result, most, longest): everybody's first flags come before anybody's further ones.

    sizes: (flags of one student, characters of each), the most first. The first with which all find room is taken, or else the last.
    """
    flagged = [result for result in results if result.flags]
    for most, longest in sizes:
        parts = [part_of(result, most, longest) for result in flagged]
        if sum(len(part.encode()) for part in parts) <= room:
            break
    return fitting(parts, room)
