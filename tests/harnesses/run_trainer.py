"""Runs `compute_metrics` of docs/hub.md in a real `Seq2SeqTrainer`; prints as JSON what is logged.

The model is tiny and was never trained; the second time, it answers what the labels say.
"""

import json
import re
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "hub.md"
[recipe] = re.findall(r"```python\n([^`]*def make_compute_metrics.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
exec(compile(recipe, str(PAGE), "exec"))

TREES = ["(S (NP we ) (VP run ) )", "(S (VP run ) )"]
PIECES = ["<pad>", "</s>", "<unk>", *dict.fromkeys(" ".join(TREES).split())]

words = Tokenizer(models.WordLevel({piece: i for i, piece in enumerate(PIECES)}, unk_token="<unk>"))
words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
)
torch.manual_seed(1)
model = T5ForConditionalGeneration(
    T5Config(
        vocab_size=len(PIECES), d_model=8, d_ff=8, d_kv=4, num_layers=1, num_heads=2, decoder_start_token_id=0
    )
)


def collate(rows):
    """Labels are padded with -100, as the data collator of transformers does."""
    tokens = [[*tokenizer(row)["input_ids"], tokenizer.eos_token_id] for row in rows]
    width = max(map(len, tokens))
    labels = torch.tensor([row + [-100] * (width - len(row)) for row in tokens])
    return {"input_ids": labels.clamp(min=0), "labels": labels}


class ToldTrainer(Seq2SeqTrainer):
    """Generates the labels, with -100 behind them."""

    def prediction_step(self, model, inputs, *_, **__):
        return (
            torch.tensor(0.0),
            torch.nn.functional.pad(inputs["labels"], (0, 3), value=-100),
            inputs["labels"],
        )


found = []
for kind in (Seq2SeqTrainer, ToldTrainer):
    trainer = kind(
        model=model,
        args=Seq2SeqTrainingArguments(
            output_dir=sys.argv[1], predict_with_generate=True, report_to=[], use_cpu=True, disable_tqdm=True
        ),
        eval_dataset=TREES,
        data_collator=collate,
        compute_metrics=make_compute_metrics(tokenizer),  # noqa: F821
    )
    found.append(trainer.evaluate())
sys.stdout.write("\n" + json.dumps(found))
