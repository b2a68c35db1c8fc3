"""Speed and quality against peers and floors, as ratios measured in one run."""
