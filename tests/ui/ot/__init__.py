"""Tests of the OT lab without a browser."""
