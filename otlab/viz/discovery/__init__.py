"""Pictures of lexicon discovery."""
