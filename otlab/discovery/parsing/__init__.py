"""Parsing utterances with an adaptor grammar: charts, expected counts, sampled trees."""
