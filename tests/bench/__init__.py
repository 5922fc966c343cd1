"""`make bench`: how fast it is, in figures to compare before and after a change. Nothing here passes or fails."""
