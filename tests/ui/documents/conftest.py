import pytest

from tests.ui.document_store import cold, store  # noqa: F401  # fixtures of every test here
from tests.ui.documents.helpers import CASES


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]
