"""Appending features to a list of those that are on; each kernel returns how many there are then."""

from casino_env.compiler.jit import kernel, lowest


@kernel
def fill(out, count, first, length):
    """A number as so many features from the first on."""
    for i in range(length):
        out[count + i] = first + i
    return count + length


@kernel
def each(out, count, cards, first, width):
    """The same column for every card of a set."""
    while cards:
        out[count] = first + lowest(cards) * width
        cards &= cards - 1
        count += 1
    return count


@kernel
def bits(out, count, first, number):
    """A feature for each bit of a number."""
    while number:
        out[count] = first + lowest(number)
        number &= number - 1
        count += 1
    return count


@kernel
def once(out, since, count, feature):
    """A feature unless it is among those that were appended since there were so many."""
    for i in range(since, count):
        if out[i] == feature:
            return count
    out[count] = feature
    return count + 1
