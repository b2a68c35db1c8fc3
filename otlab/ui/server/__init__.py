"""The server: the pages, what they share, and compiling before the first visit."""
