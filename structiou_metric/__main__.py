"""`python -m structiou_metric`."""

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
