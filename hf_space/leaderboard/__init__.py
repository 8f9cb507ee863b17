"""The leaderboard: benchmarks, submissions and their ranks. Knows nothing of the pages that show it."""
