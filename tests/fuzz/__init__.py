"""Damaged files for every reader: only ``OtlabError`` may come out, soon and within little memory.

``python -m tests.fuzz --inputs 1000000 --seed 1`` changes samples at random and prints one line per reader.
:mod:`tests.fuzz.readers` lists the readers, :mod:`tests.fuzz.mutations` the changes. Each fault that was
found is kept in ``crashes/``, as a file that its reader's name begins.
"""
