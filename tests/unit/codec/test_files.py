"""Files in a message: which ones are accepted, and with which path the others are refused."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import AgentMessage, CodecError, File, codec

PNG = {"mediaType": "image/png", "data": "iVBORw=="}
LINK = {"mediaType": "image/png", "url": "https://example.com/a.png"}
SECRET = "the-users-own-words"


class Bytes(bytes):
    pass


def with_files(*files: Any, role: str = "user", content: str = "hi") -> dict[str, Any]:
    return {"role": role, "content": content, "files": list(files)}


def of_value(*files: Any) -> AgentMessage:
    return AgentMessage("user", "hi", files=tuple(files))


def fault(message: Any) -> CodecError:
    with pytest.raises(CodecError) as caught:
        codec.parse(message)
    return caught.value


@pytest.mark.parametrize(
    ("file", "path"),
    [
        (None, ""),
        ("iVBORw==", ""),
        ([PNG], ""),
        ({"mediaType": "image/png"}, ""),
        ({**PNG, "data": None}, ""),
        ({**PNG, **LINK}, ""),
        ({**PNG, "data": "!", "url": "ftp://x"}, ""),
        ({**PNG, "size": 4}, ".size"),
        ({"data": "iVBORw=="}, ".mediaType"),
        ({**PNG, "mediaType": None}, ".mediaType"),
        *(
            ({**PNG, "mediaType": wrong}, ".mediaType")
            for wrong in ("", "image", "image/", "/png", "Image/png", "image/PNG", "image/png; q=1", "image/*", "a/b/c")
        ),
        *(
            ({**PNG, "mediaType": wrong}, ".mediaType")
            for wrong in (" image/png", "image/png\n", "imagé/png", f"a/{'b' * 128}", "-a/b", "\ud800/b")
        ),
        ({**PNG, "data": b"\x89PNG"}, ".data"),
        ({**PNG, "data": [1]}, ".data"),
        ({**LINK, "url": 1}, ".url"),
        *(
            ({**LINK, "url": wrong}, ".url")
            for wrong in (
                "",
                "x",
                "http://example.com",
                "HTTPS://example.com",
                "ftp://a",
                "data:image/png;base64,iVBORw==",
            )
        ),
        *(
            ({**LINK, "url": wrong}, ".url")
            for wrong in ("https://", "https:/a", "s3://", "openai-file:", "file:///a", " https://a", "https://a\n")
        ),
        ({**LINK, "url": "https://\ud800"}, ".url"),
        ({**PNG, "name": 1}, ".name"),
        ({**PNG, "name": "\ud800"}, ".name"),
        *(({**PNG, "offset": wrong}, ".offset") for wrong in (-1, 3, 1.0, True, "1", [0])),
    ],
)
def test_an_invalid_file_is_refused_with_the_path(file: Any, path: str) -> None:
    assert fault(with_files(file)).path == f"files[0]{path}"
    assert fault(with_files(LINK, file)).path == f"files[1]{path}"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("", id="empty"),
        pytest.param("iVBORw", id="without padding"),
        pytest.param("iVBORw=", id="half of the padding"),
        pytest.param("iVBORw===", id="too much padding"),
        pytest.param("iVBO Rw==", id="a space"),
        pytest.param("iVBORw==\n", id="a line end"),
        pytest.param("-_-_", id="the URL-safe alphabet"),
        pytest.param("iVBORx==", id="bits after the last byte"),
        pytest.param("iVBORw==iVBORw==", id="two texts"),
        pytest.param("====", id="only padding"),
        pytest.param("é===", id="outside of ASCII"),
        pytest.param("\ud800AAA", id="a lone surrogate"),
    ],
)
def test_data_is_base64_of_rfc_4648_section_4(data: str) -> None:
    assert fault(with_files({**PNG, "data": data})).path == "files[0].data"


@given(st.binary(min_size=1))
def test_any_bytes_are_accepted(data: bytes) -> None:
    message = codec.parse(with_files({**PNG, "data": b64encode(data).decode()}))
    assert message.files == (File("image/png", data),)


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (AgentMessage("user", "hi", files={}), "files"),  # type: ignore[arg-type]
        (AgentMessage("user", "hi", files="x"), "files"),  # type: ignore[arg-type]
        (of_value(PNG), "files[0]"),
        (of_value(File("image/png")), "files[0]"),
        (of_value(File("image/png", b"x", "https://a")), "files[0]"),
        (of_value(File("image/png", b"")), "files[0].data"),
        (of_value(File("image/png", "iVBORw==")), "files[0].data"),  # type: ignore[arg-type]
        (of_value(File("image/png", bytearray(b"x"))), "files[0].data"),  # type: ignore[arg-type]
        (of_value(File("image/png", Bytes(b"x"))), "files[0].data"),
        (of_value(File("image", b"x")), "files[0].mediaType"),
        (of_value(File(None, b"x")), "files[0].mediaType"),  # type: ignore[arg-type]
        (of_value(File("image/png", url="x")), "files[0].url"),
        (of_value(File("image/png", b"x", name=1)), "files[0].name"),  # type: ignore[arg-type]
        (of_value(File("image/png", b"x", offset=3)), "files[0].offset"),
        (AgentMessage("reasoning", "hi", files=(File("image/png", b"x"),)), "files"),
    ],
)
def test_a_value_is_checked_like_its_json_form(message: AgentMessage, path: str) -> None:
    assert fault(message).path == path


@pytest.mark.parametrize("files", [{}, "x", (), (PNG,), 1])
def test_files_are_a_list(files: Any) -> None:
    assert fault({"role": "user", "content": "hi", "files": files}).path == "files"


def test_json_cannot_hold_a_file_as_a_value() -> None:
    assert fault(with_files(File("image/png", b"x"))).path == "files[0]"


def test_a_thought_has_no_files() -> None:
    assert fault(with_files(PNG, role="reasoning")).path == "files"
    assert codec.parse(with_files(role="reasoning")) == AgentMessage("reasoning", "hi")


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_every_other_role_can_have_files(role: str) -> None:
    assert codec.parse(with_files(PNG, role=role)).files == (File("image/png", b"\x89PNG"),)


@pytest.mark.parametrize("url", ["https://a", "s3://b/a file.pdf", "gs://b/k", "openai-file:f-1", "anthropic-file:f_1"])
def test_each_scheme_is_accepted(url: str) -> None:
    assert codec.parse(with_files({"mediaType": "application/vnd.ms-excel", "url": url})).files[0].url == url


def test_an_offset_with_a_decimal_point_is_named_as_such() -> None:
    reason = fault(with_files({**PNG, "offset": 1.0})).reason
    assert reason == "must be a whole number without a decimal point, not a number"


def test_an_offset_counts_code_points() -> None:
    """One emoji is one code point, two UTF-16 units and four bytes."""
    assert codec.parse(with_files({**PNG, "offset": 2}, content="😀é")).files[0].offset == 2
    assert fault(with_files({**PNG, "offset": 3}, content="😀é")).path == "files[0].offset"
    assert codec.parse(with_files({**PNG, "offset": 0}, content="")).files[0].offset == 0


def test_null_means_that_an_optional_field_is_absent() -> None:
    form = {**PNG, "url": None, "name": None, "offset": None}
    assert codec.to_json(codec.parse(with_files(form))) == with_files(PNG)


@pytest.mark.parametrize(
    "file",
    [
        SECRET,
        {**PNG, "mediaType": SECRET},
        {**PNG, "data": SECRET},
        {**PNG, "data": b64encode(SECRET.encode()).decode() + "="},
        {"mediaType": "image/png", "url": f"ftp://{SECRET}"},
        {**PNG, "name": f"{SECRET}\ud800"},
        {**PNG, "name": [SECRET]},
        {**PNG, "offset": SECRET},
    ],
)
def test_an_error_has_no_content(file: Any) -> None:
    error = fault(with_files(file))
    told = f"{error!r} {error} {error.__cause__!r} {error.__context__!r}"
    assert SECRET not in told
    assert b64encode(SECRET.encode()).decode()[:-2] not in told
