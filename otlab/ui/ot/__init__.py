"""The OT lab."""
