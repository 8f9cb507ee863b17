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


def slow_split(data, resume=0):
    """Find the trees of some bytes, and each text outside of trees, up to the end of its line.

    Returns their ranges, whether a tree goes over the end of a line, on how many lines a tree begins after
    another has ended, how many trees are not closed, how many brackets these miss, and how many closing
    brackets in a row begin a text outside of trees. With `resume` 1, a line that begins with a '(' after a
    blank line or a comment begins a tree; with 2, every line that begins with a '('.
    """
    ranges, depth, start, missing, n_extra = [], 0, 0, [], 0
    goes_over, n_crowded, before, filled = False, 0, "", 0
    text = data.decode("latin-1")
    for begin, stop in slow_lines(data):
        line = text[begin:stop]
        solid = not is_gap(line)
        if depth and line.startswith("(") and (resume == 2 or (resume == 1 and is_gap(before))):
            ranges.append((start, filled))
            missing.append(depth)
            depth = 0
        n_ended, crowded = 0, False
        for at, character in enumerate(line, begin):
            if character == "(":
                if depth == 0:
                    start, crowded = at, crowded or n_ended > 0
                depth += 1
            elif character == ")" and depth > 0:
                depth -= 1
                if depth == 0:
                    ranges.append((start, at + 1))
                    n_ended += 1
            elif depth == 0 and character not in SPACES:
                ranges.append((at, stop))
                rest = text[at:stop]
                n_extra += len(rest) - len(rest.lstrip(")"))
                break
        n_crowded += crowded
        goes_over = goes_over or (depth > 0 and stop < len(data))
        filled = stop if solid or not depth else filled
        before = line
    if depth:
        ranges.append((start, len(data)))
        missing.append(depth)
    return ranges, goes_over, n_crowded, len(missing), sum(missing), n_extra


def is_gap(line):
    """Return whether a line is blank or a comment."""
    text = line.strip(SPACES)
    return not text or text.startswith(("#", "%%", "*x*"))
