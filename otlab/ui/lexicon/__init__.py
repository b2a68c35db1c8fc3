"""The lexicon lab: words from unsegmented phones."""
