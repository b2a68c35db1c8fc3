"""The Forms tab of the OT lab and its cards."""
