"""Who the people are: the persona file, its checks, and the record that minds read."""
