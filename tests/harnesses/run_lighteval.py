"""Runs the task in lighteval's own pipeline; prints the figures as JSON in the last line."""

import json
import sys

from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.registry import Registry

# Its own tasks are not needed, and one of them fetches a file when it is imported.
Registry._load_from_files = Registry._load_from_subdirs = staticmethod(lambda *_: {})

pipeline = Pipeline(
    tasks="constituency|0",
    pipeline_parameters=PipelineParameters(
        launcher_type=ParallelismManager.CUSTOM, custom_tasks_directory="lighteval_tasks.py"
    ),
    evaluation_tracker=EvaluationTracker(output_dir=sys.argv[1]),
    model_config=CustomModelConfig(model_name="told", model_definition_file_path="told_model.py"),
)
pipeline.evaluate()
sys.stdout.write("\n" + json.dumps(pipeline.get_results()["results"], default=float))
