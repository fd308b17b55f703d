"""Rendered rhythms whose beats are known, and scores of beat trackers."""
