"""Runs the command line by `python -m structiou_metric`."""

from .commands.main import main

if __name__ == "__main__":
    raise SystemExit(main())
