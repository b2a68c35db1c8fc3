"""What the Forms tab of the OT lab shows, without its cards: counted cells and generated candidates."""
