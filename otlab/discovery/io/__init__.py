"""Formats of files with phones: texts, transcripts, gold times, and what sound files say of their length."""
