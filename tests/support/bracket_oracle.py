"""Bracket text read the slow way: character by character, with nothing but lists."""

SPACES = " \t\n\v\f\r"


def slow_read(text, several=False):
    """A reader that goes character by character; gives `(label, first, last)` in postorder, and words.

    On an error gives its kind and the index of the character to blame instead. With `several`, a text may
    have several trees.
    """
    nodes, words, path = [], [], []
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        character = text[at]
        start = at
        if character in "()" + SPACES:
            at += 1
        if character == "(":
            if nodes and not path and not several:
                return "second tree", start
            while at < len(text) and text[at] in SPACES:
                at += 1
        if character == ")":
            if not path:
                return "closes nothing", start
            label, first, _ = path.pop()
            nodes.append((label, first, len(words)))
        elif character not in SPACES:
            token = ""
            while at < len(text) and text[at] not in "()" + SPACES:
                token += text[at]
                at += 1
            if character == "(":
                path.append((token, len(words), start))
            elif not path:
                return "text outside", start
            else:
                words.append(token)
    if path:
        return "never closed", path[-1][2]
    return nodes, words


def slow_lines(data):
    """Where each line of some bytes starts and stops; a newline at the end begins no line."""
    ranges, start = [], 0
    for at, byte in enumerate(data):
        if byte == ord("\n"):
            ranges.append((start, at))
            start = at + 1
    return ranges + ([(start, len(data))] if start < len(data) else [])


def slow_split(data):
    """Where each tree starts and stops, and each text outside of trees, up to the end of its line.

    Also gives whether a tree goes over the end of a line, and whether a tree begins on a line where another
    has ended.
    """
    ranges, depth, start, ended, outside = [], 0, 0, False, False
    goes_over = shares = False
    for at, character in enumerate(data.decode("latin-1")):
        if character == "\n":
            goes_over = goes_over or depth > 0
            if outside:
                ranges.append((start, at))
            ended = outside = False
        elif outside:
            continue
        elif character == "(":
            if depth == 0:
                start = at
                shares = shares or ended
            depth += 1
        elif character == ")" and depth > 0:
            depth -= 1
            if depth == 0:
                ranges.append((start, at + 1))
                ended = True
        elif depth == 0 and character not in SPACES:
            start, outside = at, True
    if depth > 0 or outside:
        ranges.append((start, len(data)))
    return ranges, goes_over, shares
