"""The server: pages, the home page, opening and closing, what is warmed up before the first visit."""
