"""Labelled cases, run through the real verbs and the real database in a scratch tenant that is gone afterwards."""
