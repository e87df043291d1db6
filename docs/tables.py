"""Tables of the documents that programs write: between two comments with a name."""


def filled(page: str, name: str, lines: list[str]) -> str:
    """The page with these lines as its table of that name."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"the page must have {begin} and {end} once")
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n\n" + "\n".join(lines) + f"\n\n{end}{rest.partition(end)[2]}"
