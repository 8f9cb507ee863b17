"""The pages of the Space. They show what `structiou_metric` and `leaderboard` find, and compute nothing."""
