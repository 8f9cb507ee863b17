"""The corpus reader, which makes Examples of treebanks.

In a config:

    [corpora.dev]
    @readers = "structiou.treebank_corpus.v1"
    path = ${paths.dev}
"""

import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from itertools import chain, islice
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import logger
from spacy.vocab import Vocab

from structiou_metric.errors import TreeFormatError
from structiou_metric.sources.treebanks import Reading
from structiou_metric.wording import check_choice, count

from .convert import make_doc, set_tree
from .store import KEY, NO_TEXT, read_trees, without_traces
from .treebank import DOCBIN, TRACES, Record, find_files, kind, read_records, unescaped

_TEXT = "structiou_text"  # in Doc.user_data: a text that is not that of the tokens

# Annotations are read by spaCy when it checks a config, so they are no strings here.
Augmenter = Callable[[Language, Example], Iterable[Example]]


@dataclass(eq=False)
class TreebankCorpus:
    """The reader `structiou.treebank_corpus.v1`: treebanks, timed brackets, JSON lines, `.spacy` files.

    The kind of a file follows from its ending. `.spacy` is a DocBin with trees. A line of `.jsonl` is a
    tree in any shape that `structiou_metric.trees.shapes.as_tree` reads, a row with the fields `tree` (or
    `trees`) and perhaps `times` and `text`, or a row of Prodigy or `Doc.to_json`. Any other file is a
    treebank. Each tree, or all trees of one row, become a Doc. Trees without words are skipped, with a
    warning.

    The tokens of references are the words of their trees. If the text is unknown, or differs from the tokens,
    their spaces are marked as unknown. Otherwise `Language.evaluate` would fail for predictions with
    different characters.

    >>> import pathlib, spacy, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "dev.mrg")
    ...     size = path.write_text("(S (NP (NNS dogs)) (VP (VBP bark)))")
    ...     [example] = TreebankCorpus(path)(spacy.blank("en"))
    >>> [token.text for token in example.reference], len(example.reference.spans["constituents"])
    (['dogs', 'bark'], 5)

    Args:
        path: A file, an archive, a pattern such as `wsj/2?/*.mrg`, or a folder, whose files are read in
            sorted order.
        gold_preproc: Whether predictions start from the tokens of the reference, with one tree in each Doc.
            If not, they start from the pipeline's tokenizer if the text is known, else from the tokens of the
            reference (but see `join_words`).
        max_length: The maximum number of tokens of a Doc. Longer Docs are split into their trees, and trees
            with more tokens are skipped. 0 means no limit.
        limit: The number of Docs to read, including those that `max_length` skips. 0 means no limit.
        augmenter: A spaCy augmenter.
        offset: The number of Docs to skip first.
        shuffle: Whether to shuffle the Docs, in a different order each time the corpus is read.
        seed: The seed for shuffling. Runs with the same seed have the same orders.
        key: The name of the span group in `doc.spans`.
        pattern: A pattern for the files of a folder, such as `*.mrg`. By default all files with a known
            ending are read.
        layout: The layout of files of brackets: `line` for a tree on each line, `free` for trees over many
            lines. By default each file is looked at.
        format: The format of treebanks. By default each file is looked at.
        encoding: The encoding of text. By default it is UTF-8, or follows from a byte-order mark or an XML
            declaration.
        discontinuous: How to read trees with crossing branches: as an `error`, or by `raise`, `split` or
            `span` as in `structiou_metric.trees.discontinuous`.
        fields: Different names for the fields of JSON lines, such as `{"tree": "reference"}`.
        join_words: Whether to join the words by spaces if the text is unknown, so that predictions start from
            the pipeline's tokenizer.
        traces: Whether `-NONE-` leaves are removed, with the nodes that they leave empty (`drop`), or become
            tokens (`token`).
        unescape: Whether to write words as in a text: brackets for `-LRB-` and the like, a slash for `\\/`,
            and `"` for a treebank's quotes (two backticks, two apostrophes).
    """

    path: str | Path | None
    gold_preproc: bool = False
    max_length: int = 0
    limit: int = 0
    augmenter: Augmenter | None = None
    _: KW_ONLY
    offset: int = 0
    shuffle: bool = False
    seed: int = 0
    key: str = KEY
    pattern: str = ""
    layout: str = "auto"
    format: str = "auto"
    encoding: str = ""
    discontinuous: str = "error"
    fields: dict[str, str] | None = None
    join_words: bool = False
    traces: str = "drop"
    unescape: bool = True

    def __post_init__(self) -> None:
        if self.path is None:
            raise ValueError(
                "structiou.treebank_corpus.v1 got no path of a treebank; did you forget --paths.train or "
                "--paths.dev?"
            )
        try:
            for name in ("max_length", "limit", "offset"):
                if getattr(self, name) < 0:
                    raise ValueError(f"{name} must be 0 or more, not {getattr(self, name)}")
            self._reading = Reading(self.layout, self.format, self.encoding or None, self.discontinuous)
            check_choice("traces", self.traces, TRACES)
        except ValueError as error:
            raise ValueError(f"structiou.treebank_corpus.v1: {error}") from None
        self._path = Path(self.path)
        self._random = random.Random(self.seed)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Return what signatures add about how the files so far were read."""
        return self._reading.signature_parts

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the Examples of the corpus.

        Raises:
            ValueError: There are none, with which training would show 0.00 throughout.
        """
        docs: Iterable[Doc] = self._short(self.docs(nlp.vocab))
        if self.shuffle:
            shuffled = list(docs)
            self._random.shuffle(shuffled)
            docs = shuffled
        is_empty = True
        for doc in docs:
            is_empty = False
            example = Example(self._start(nlp, doc), doc)
            if self.augmenter is None:
                yield example
            else:
                yield from self.augmenter(nlp, example)
        if is_empty:
            raise ValueError(
                f"structiou.treebank_corpus.v1: {self._path} gives no documents; check the file, and offset "
                f"({self.offset}), limit ({self.limit}) and max_length ({self.max_length})"
            )

    # ---- references ----------------------------------------------------------------------------

    def docs(self, vocab: Vocab, n_sents: int = 1) -> Iterator[Doc]:
        """Yield the Docs with their trees, from `offset` on and up to `limit`, in the order of the files.

        Args:
            vocab: The vocabulary, such as `nlp.vocab`.
            n_sents: The number of trees of a treebank, or rows of JSON lines, to put into a Doc, each as a
                sentence. 0 means all of a file.
        """
        docs = (
            doc for path in find_files(self._path, self.pattern) for doc in self._read(path, vocab, n_sents)
        )
        yield from islice(docs, self.offset, self.offset + self.limit if self.limit else None)

    def _read(self, path: Path, vocab: Vocab, n_sents: int) -> Iterator[Doc]:
        if kind(path) == DOCBIN:
            yield from self._read_docbin(path, vocab)
            return
        records = self._records(path)
        while group := list(islice(records, n_sents or None)):
            trees = tuple(tree for record in group for tree in record.trees)
            texts = [record.text for record in group if record.text is not None]
            text = " ".join(texts) if len(texts) == len(group) else None
            yield self._make_doc(Record(group[0].where, trees, text), vocab, sentences=n_sents != 1)

    def _read_docbin(self, path: Path, vocab: Vocab) -> Iterator[Doc]:
        n_docs = 0
        keys: set[str] = set()
        try:
            for doc in DocBin().from_disk(path).get_docs(vocab):
                n_docs += 1
                keys.update(doc.spans)
                if len(doc):
                    yield doc
        except Exception as error:  # zlib, msgpack and spaCy raise many kinds
            raise TreeFormatError(
                f"this is no .spacy file, or a damaged one: {error}", source=str(path)
            ) from error
        if n_docs and self.key not in keys:
            raise TreeFormatError(
                f"none of {count(n_docs, 'Doc')} has trees in spans[{self.key!r}]; "
                + (f"set key to one of {', '.join(map(repr, sorted(keys)))}, or " if keys else "")
                + "make the file with 'python -m spacy structiou convert'",
                source=str(path),
            )

    def _records(self, path: Path) -> Iterator[Record]:
        """Yield the records of a file that have words, with traces and escapes as the options say."""
        wordless: list[str] = []
        for where, trees, text in read_records(path, self._reading, fields=self.fields, key=self.key):
            if self.traces == "drop":
                trees = tuple(map(without_traces, trees))
            if self.unescape:
                trees = tuple(map(unescaped, trees))
            spoken = tuple(tree for tree in trees if tree.words)
            wordless += [where] * (len(trees) - len(spoken))
            if spoken:
                yield Record(where, spoken, text)
        if wordless:
            warnings.warn(
                f"{path}: {count(len(wordless), 'tree')} without words skipped; the first: {wordless[0]}",
                stacklevel=2,
            )

    def _make_doc(self, record: Record, vocab: Vocab, *, sentences: bool) -> Doc:
        words = [[word or NO_TEXT for word in tree.words] for tree in record.trees]
        text = record.text
        spaces = None if text is None else _find_spaces(chain.from_iterable(words), text)
        try:
            doc = make_doc(vocab, record.trees, words, key=self.key, sentences=sentences, spaces=spaces)
        except ValueError as error:
            raise TreeFormatError(str(error), source=record.where) from None
        if text is not None and spaces is None:
            doc.user_data[_TEXT] = text
        return doc

    # ---- examples ------------------------------------------------------------------------------

    def _short(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        """Yield the Docs without those that are too long, split into their trees if the options say so."""
        n_long = 0
        for doc in docs:
            parts = [doc] if self._fits(doc) and not self.gold_preproc else self._trees_apart(doc)
            for part in parts:
                if self._fits(part):
                    yield part
                else:
                    n_long += 1
        if n_long:
            logger.info("%s: %d of more than %d tokens skipped", self._path, n_long, self.max_length)

    def _fits(self, doc: Doc) -> bool:
        return not self.max_length or len(doc) <= self.max_length

    def _trees_apart(self, doc: Doc) -> list[Doc]:
        """Return a Doc for each tree, or the same Doc if it has less than two."""
        trees = read_trees(doc, self.key)
        if len(trees) < 2:
            return [doc]
        parts: list[Doc] = []
        for placed in trees:
            if placed.tokens:
                part = doc[placed.start : placed.end].as_doc()
                part.has_unknown_spaces = doc.has_unknown_spaces  # as_doc takes them for known
                set_tree(part, placed.tree, key=self.key)
                parts.append(part)
        return parts

    def _start(self, nlp: Language, doc: Doc) -> Doc:
        """Return the Doc that a prediction starts from."""
        text = doc.user_data.get(_TEXT)
        if text is None and (self.join_words or not doc.has_unknown_spaces):
            text = doc.text
        if self.gold_preproc or text is None:
            spaces = [bool(token.whitespace_) for token in doc]
            return Doc(nlp.vocab, words=[token.text for token in doc], spaces=spaces)
        start = nlp.make_doc(text)
        if not doc.has_unknown_spaces and _characters(start) != _characters(doc):
            doc.has_unknown_spaces = True  # the tokenizer writes other characters
        return start


def _find_spaces(words: Iterable[str], text: str) -> list[bool] | None:
    """Return whether a space follows each word, or None if the text is not these words and single spaces."""
    text = text.strip()
    place = 0
    spaces: list[bool] = []
    for word in words:
        if not text.startswith(word, place):
            return None
        place += len(word)
        spaces.append(text.startswith(" ", place))
        place += spaces[-1]
    return spaces if place == len(text) else None


def _characters(doc: Doc) -> str:
    """Return the characters that spaCy compares before it aligns tokens."""
    return "".join("".join(token.text.split()) for token in doc).lower()
