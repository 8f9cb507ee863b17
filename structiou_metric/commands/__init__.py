"""The commands of `structiou`, a module each, loaded when it is called.

A module has `USAGE`, `DESCRIPTION` and `EPILOG` for its help, `configure(parser, argv)`, which adds its
arguments and may look at the command line for what they depend on, and `run(args)`, which returns what is
printed.
"""

# Each command with its line in `structiou --help`, in that order.
COMMANDS = {
    "score": "score a file of predicted trees against a file of reference trees",
    "why": "tell what predictions lose, and by which mistakes",
    "align": "draw two trees with their aligned nodes",
    "parseval": "count equal brackets as EVALB does",
    "sparseval": "count equal brackets and dependencies of speech as SParseval does",
    "compare": "compare systems, with intervals and tests of their differences",
    "pairwise": "score several systems, each against each",
    "mbr": "choose of several candidates those that agree best with all others",
    "merge": "add up what structiou score --tally wrote in several jobs",
    "convert": "write a treebank in another format",
    "perturb": "write trees with perturbed word boundaries",
    "curve": "score predictions with ever worse word boundaries",
    "paper": "repeat the paper's experiments on your trees",
    "project": "put the word times of a transcript or recording on text trees",
    "speech-score": "score predicted trees of a recogniser's words against gold trees of a recording",
    "submit": "submit predictions to a leaderboard",
    "register": 'let evaluate.load("struct_iou") find this metric',
    "completion": "print a script with which a shell completes commands and options",
}
