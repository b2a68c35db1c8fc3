"""The server: pages, the home page, opening and closing, and compiling before the first visit."""
