"""Words with times, from the files that aligners and recognisers write."""
