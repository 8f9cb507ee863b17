"""What `constituency.yaml` does with an answer."""

from structiou_metric import StructIoU, TreeFormatError
from structiou_metric.trees import extract

METRIC = StructIoU(on_error="zero")


def process_results(doc, results):
    """The figures of one answer; without a tree of these words, it is a failed parse."""
    try:
        prediction = extract(results[0], words=doc["sentence"].split()).text
    except TreeFormatError:
        prediction = "()"
    pair = prediction, doc["tree"]
    return {"struct_iou": corpus_level([pair]), "struct_iou_corpus": pair, "parsed": prediction != "()"}


def corpus_level(pairs):
    """All matched IoU over all nodes."""
    return METRIC.corpus_score(*zip(*pairs, strict=True)).corpus
