from tests.ui.document_store import cold, store  # noqa: F401  # fixtures of every test here
