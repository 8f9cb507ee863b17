"""Runs tasks in lm-eval; prints the figures as JSON in the last line."""

import json
import sys

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager


class ToldModel(LM):
    """Answers what the data say."""

    def generate_until(self, requests, disable_tqdm=False):
        return [request.doc["answer"] for request in requests]

    def loglikelihood(self, requests):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


found = simple_evaluate(
    model="dummy" if sys.argv[1] == "dummy" else ToldModel(),
    tasks=sys.argv[2:],
    task_manager=TaskManager(include_path="lm_eval_tasks", include_defaults=False),
    bootstrap_iters=0,
)
sys.stdout.write("\n" + json.dumps(found["results"], default=str))
