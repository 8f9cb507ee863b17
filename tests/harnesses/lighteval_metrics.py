"""STRUCT-IoU for lighteval: of each sample, and of the corpus.

They are not in the file of tasks, because lighteval loads that twice, and sends them to other processes.
"""

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import SampleLevelComputation

from structiou_metric import StructIoU, TreeFormatError
from structiou_metric.trees import extract

METRIC = StructIoU(on_error="zero")


class Pair(SampleLevelComputation):
    """The tree in an answer, beside the reference; without a tree of these words, it is a failed parse."""

    def compute(self, doc, model_response, **_):
        try:
            prediction = extract(model_response.final_text[0], words=doc.specific["words"]).text
        except TreeFormatError:
            prediction = "()"
        return prediction, doc.get_golds()[0]


class SampleScore(Pair):
    """STRUCT-IoU of one answer."""

    def compute(self, doc, model_response, **_):
        prediction, reference = super().compute(doc, model_response)
        return METRIC.corpus_score([prediction], [reference]).score


class CorpusScore(CorpusLevelComputation):
    """All matched IoU over all nodes."""

    def compute_corpus(self, items):
        return METRIC.corpus_score(*zip(*items, strict=True)).corpus
