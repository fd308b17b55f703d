"""The evaluation of pitch trackers: clips whose pitch is known, trackers, measures and goals."""
