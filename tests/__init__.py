"""Tests; labs in them, and the servers that they start, keep documents in a folder of their own."""

import os
import tempfile
from pathlib import Path

os.environ["OTLAB_DOCUMENTS"] = str(Path(tempfile.mkdtemp(prefix="otlab-tests-"), "documents.sqlite"))
