"""Pictures of taggers."""
