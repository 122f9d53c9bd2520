"""`make docs` builds the site without a warning, and neither the build nor a reader loads anything from other hosts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from local.template import ROOT
from tests.support.pages import PAGES

# Elements that a browser loads by itself. A link that a reader clicks is not one of them.
_LOADED = re.compile(
    r'<(?:script|img|iframe|link(?![^>]*rel="?(?:canonical|prev|next))[^>]*?)[^>]*?(?:src|href)="?([^"\s>]+)'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. A request of the build would go to a proxy that does not exist, and so the build would fail."""
    folder = tmp_path_factory.mktemp("site")
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = [Path(page).stem for page in PAGES if page.startswith("docs/")]
    assert len(pages) > 10
    assert [page for page in pages if page != "index" and not (site / page / "index.html").exists()] == []


def test_a_reader_loads_nothing_from_other_hosts(site: Path) -> None:
    loaded = {address for page in site.rglob("*.html") for address in _LOADED.findall(page.read_text(encoding="utf-8"))}
    assert loaded
    assert {address for address in loaded if re.match(r"(?:https?:)?//", address)} == set()
    styles = [style.read_text(encoding="utf-8") for style in site.rglob("*.css")]
    assert not [
        found for style in styles for found in re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//[^)]+", style)
    ]


def test_the_reference_has_every_exported_name(site: Path) -> None:
    import messagelog
    import messagelog.chat

    reference = (site / "reference" / "index.html").read_text(encoding="utf-8")
    exported = [*messagelog.__all__, *messagelog.chat.__all__]
    assert [name for name in exported if not re.search(rf'id="messagelog\.(?:[\w.]+\.)?{name}"', reference)] == []


def test_the_site_has_a_light_and_a_dark_scheme() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [palette["scheme"] for palette in yaml.safe_load(text)["theme"]["palette"]] == ["default", "slate"]
