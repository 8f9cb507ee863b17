"""Start the Space on the Hub, where nobody can give `app.py` options, with systems on an empty board.

Without a copy on the Hub only: an empty disk is filled from that copy, which has these systems already.
"""

import os
import sys

from app import main

if __name__ == "__main__":
    if not os.environ.get("STRUCTIOU_HUB_DATASET"):
        sys.argv.append("--demo")
    main()
