"""Pack a page for a course: SCORM 1.2 and 2004, as Moodle, ILIAS and others play it.

A package is a ZIP with the page and ``imsmanifest.xml`` (ADL, SCORM 1.2 Content Aggregation Model, 2.3;
SCORM 2004 4th edition, Content Aggregation Model, 3.4). The page itself finds the course around it
(``js/course.js``).
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import Literal, get_args

from otlab.errors import Fault, InputError, did_you_mean
from otlab.html import Markup, element

__all__ = ["VERSIONS", "ScormVersion", "scorm_package"]

ScormVersion = Literal["1.2", "2004"]
VERSIONS: tuple[ScormVersion, ...] = get_args(ScormVersion)
PAGE, MANIFEST = "index.html", "imsmanifest.xml"
_MADE = (1980, 1, 1, 0, 0, 0)  # of every file, so that the same page makes the same package

_ADL = "http://www.adlnet.org/xsd/"
_SPACES = {
    "1.2": {
        "xmlns": "http://www.imsproject.org/xsd/imscp_rootv1p1p2",
        "xmlns:adlcp": f"{_ADL}adlcp_rootv1p2",
    },
    "2004": {
        "xmlns": "http://www.imsglobal.org/xsd/imscp_v1p1",
        "xmlns:adlcp": f"{_ADL}adlcp_v1p3",
        "xmlns:adlseq": f"{_ADL}adlseq_v1p3",
        "xmlns:adlnav": f"{_ADL}adlnav_v1p3",
        "xmlns:imsss": "http://www.imsglobal.org/xsd/imsss",
    },
}
_SCHEMA = {"1.2": "1.2", "2004": "2004 4th Edition"}
_TYPE = {"1.2": "adlcp:scormtype", "2004": "adlcp:scormType"}


def scorm_package(page: str, title: str, version: str = "1.2") -> bytes:
    """Return a page as a SCORM package, a ZIP to be uploaded into a course.

    Parameters
    ----------
    page
        The HTML of the page.
    title
        Its name in the course.
    version
        ``"1.2"``, which every platform plays, or ``"2004"``, which has room for longer answers.

    Raises
    ------
    InputError
        If there is no such version.
    """
    if version not in VERSIONS:
        raise InputError(Fault(f"SCORM {version} is not a version", did_you_mean(version, VERSIONS)))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in ((MANIFEST, _manifest(page, title, version)), (PAGE, page)):
            package.writestr(zipfile.ZipInfo(name, _MADE), text.encode(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _manifest(page: str, title: str, version: str) -> str:
    """Return the manifest: one organization of one item, whose resource is the page."""
    key = hashlib.sha256(page.encode()).hexdigest()[:16]
    metadata = element("metadata", _tag("schema", "ADL SCORM") + _tag("schemaversion", _SCHEMA[version]))
    item = element("item", _tag("title", title), identifier="item", identifierref="page")
    organization = element("organization", _tag("title", title) + item, identifier="organization")
    resource = element(
        "resource",
        element("file", "", href=PAGE),
        **{"identifier": "page", "type": "webcontent", _TYPE[version]: "sco", "href": PAGE},
    )
    manifest = element(
        "manifest",
        metadata
        + element("organizations", organization, default="organization")
        + element("resources", resource),
        **{"identifier": f"otlab-{key}", "version": "1.0", **_SPACES[version]},
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{manifest}\n'


def _tag(name: str, text: str) -> Markup:
    return element(name, "".join(letter for letter in text if letter.isprintable()))
