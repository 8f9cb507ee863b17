"""A task of lighteval, with STRUCT-IoU for each sample and for the corpus."""

import os

import numpy as np
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric, SampleLevelMetric
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod
from lighteval_metrics import CorpusScore, Pair, SampleScore


def prompt(line, task_name=""):
    return Doc(
        task_name=task_name,
        query=f"Parse this sentence into Penn Treebank brackets: {line['sentence']}\n",
        choices=[line["tree"]],
        gold_index=0,
        specific={"words": line["sentence"].split(), "answer": line["answer"]},
    )


TASKS_TABLE = [
    LightevalTaskConfig(
        name="constituency",
        prompt_function=prompt,
        hf_repo=os.path.join(os.path.dirname(os.path.abspath(__file__)), "trees"),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        generation_size=256,
        metrics=[
            SampleLevelMetric(
                metric_name="struct_iou",
                higher_is_better=True,
                category=SamplingMethod.GENERATIVE,
                sample_level_fn=SampleScore(),
                corpus_level_fn=np.mean,
            ),
            CorpusLevelMetric(
                metric_name="struct_iou_corpus",
                higher_is_better=True,
                category=SamplingMethod.GENERATIVE,
                sample_level_fn=Pair(),
                corpus_level_fn=CorpusScore(),
            ),
        ],
    )
]
