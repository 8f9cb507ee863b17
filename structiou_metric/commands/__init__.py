"""The commands of `structiou`. Each is a module of its own, which is loaded when the command runs.

A module has `USAGE`, `DESCRIPTION` and `EPILOG` for its help, `configure(parser, argv)`, which adds its
arguments and may read the command line because some arguments depend on others, and `run(args)`, which
returns the text to print. With `COMMON_OPTIONS`, `--help` lists these options only, and `--help-all` lists
all.
"""

# The commands in groups, each with its line in `structiou --help`.
COMMAND_GROUPS = {
    "score and explain": {
        "score": "score predicted trees against reference trees",
        "why": "explain what predictions lose, and by which mistakes",
        "align": "draw two trees with their aligned nodes",
        "parseval": "count equal brackets as EVALB does",
        "sparseval": "count brackets and dependencies of speech as SParseval does",
    },
    "compare": {
        "compare": "compare systems, with intervals and tests of the differences",
        "pairwise": "score each of several systems against each",
        "mbr": "choose the candidate parse that agrees best with all others",
    },
    "convert": {
        "convert": "write a treebank in another format",
    },
    "speech": {
        "project": "put the word times of a transcript or recording on text trees",
        "speech-score": "score trees of recognised words against those of a recording",
    },
    "research": {
        "paper": "repeat the paper's experiments on your trees",
        "curve": "score predictions with increasingly wrong word boundaries",
        "perturb": "write trees with perturbed word boundaries",
    },
    "large jobs, integrations and hosting": {
        "merge": "add up the tallies of structiou score --tally from several jobs",
        "register": 'let evaluate.load("struct_iou") find this metric',
        "submit": "submit predictions to a leaderboard",
        "completion": "print a script that lets a shell complete commands",
    },
}

COMMANDS = {name: line for commands in COMMAND_GROUPS.values() for name, line in commands.items()}
