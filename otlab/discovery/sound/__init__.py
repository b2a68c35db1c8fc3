"""Phone-like units from sound: audio in, the phone loop, scores."""
