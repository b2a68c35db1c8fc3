"""Packages for a course: what a platform reads of them."""

import io
import xml.etree.ElementTree as ElementTree
import zipfile

import pytest

from otlab.errors import InputError
from otlab.web.scorm import MANIFEST, PAGE, VERSIONS, scorm_package


def parts(package):
    with zipfile.ZipFile(io.BytesIO(package)) as file:
        return {name: file.read(name).decode() for name in file.namelist()}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_package_names_its_page_and_its_title(version):
    title = '</title><a href="x">&\x00 שלום'
    found = parts(scorm_package("<p>page</p>", title, version))
    assert [*found] == [MANIFEST, PAGE]  # the manifest at the top, as each version asks
    assert found[PAGE] == "<p>page</p>"
    manifest = ElementTree.fromstring(found[MANIFEST])
    named = {element.tag.rpartition("}")[2]: element for element in manifest.iter()}
    assert named["schema"].text == "ADL SCORM"
    assert named["schemaversion"].text.startswith(version)
    assert named["title"].text == '</title><a href="x">& שלום'
    assert named["item"].attrib["identifierref"] == named["resource"].attrib["identifier"]
    assert named["resource"].attrib["href"] == named["file"].attrib["href"] == PAGE
    kind = {key.rpartition("}")[2].lower(): value for key, value in named["resource"].attrib.items()}
    assert kind["scormtype"] == "sco"
    assert named["organizations"].attrib["default"] == named["organization"].attrib["identifier"]


def test_the_same_page_makes_the_same_package():
    assert scorm_package("<p>", "a", "1.2") == scorm_package("<p>", "a", "1.2")
    assert scorm_package("<p>", "a", "1.2") != scorm_package("<b>", "a", "1.2")


def test_another_version_is_refused():
    with pytest.raises(InputError, match="3"):
        scorm_package("<p>", "a", "3")
