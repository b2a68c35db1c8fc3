"""Exercises for a class: a lab's document with a question, the students' pages, and the teacher's board."""
