"""Pictures of minimalist grammars."""
