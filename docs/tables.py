"""Replace generated tables in documents, which stand between two comments with a name."""


def filled(page: str, name: str, lines: list[str], *, comment: str = "<!-- {} -->", gap: str = "\n\n") -> str:
    """Return the page with these lines as the table of that name."""
    begin, end = comment.format(f"{name}:begin"), comment.format(f"{name}:end")
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"the page must have {begin} and {end} exactly once")
    before, _, rest = page.partition(begin)
    return f"{before}{begin}{gap}" + "\n".join(lines) + f"{gap}{end}{rest.partition(end)[2]}"
