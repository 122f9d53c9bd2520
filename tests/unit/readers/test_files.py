"""Images, documents, audio and video of each library become files of a message, in their place in the text."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages import content as blocks
from messagelog import AgentMessage, CodecError, File, codec
from messagelog.readers import from_anthropic, from_bedrock, from_langchain, from_openai

BYTES = b"\x89PNG"
DATA = b64encode(BYTES).decode()
DATA_URL = f"data:image/png;base64,{DATA}"
PNG = File("image/png", BYTES)
LINK = "https://example.com/cat.jpeg?size=9"
LINKED = File("image/jpeg", url=LINK)
IN_S3 = "s3://bucket/key"


def image(**source: Any) -> dict[str, Any]:
    return {"type": "image", "source": source}


def document(title: str | None = None, **source: Any) -> dict[str, Any]:
    return {"type": "document", "source": source, "title": title, "context": "c", "citations": {"enabled": True}}


def bedrock_document(format: str, **source: Any) -> dict[str, Any]:
    return {"document": {"format": format, "name": "A", "source": source}}


ANTHROPIC = [
    (image(type="base64", media_type="image/png", data=DATA), PNG),
    (image(type="url", url=LINK), LINKED),
    (image(type="url", url="https://example.com/cat"), File("image/png", url="https://example.com/cat")),
    (image(type="file", file_id="file_1"), File("image/png", url="anthropic-file:file_1")),
    (document("A", type="base64", media_type="application/pdf", data=DATA), File("application/pdf", BYTES, name="A")),
    (document(type="url", url="https://example.com/a"), File("application/pdf", url="https://example.com/a")),
    (document("a.txt", type="file", file_id="f"), File("text/plain", url="anthropic-file:f", name="a.txt")),
    (document("A", type="text", media_type="text/plain", data="ä"), File("text/plain", "ä".encode(), name="A")),
    (document(type="content", content=[{"type": "text", "text": t} for t in "ab"]), File("text/plain", b"ab")),
    (document(type="content", content="ab"), File("text/plain", b"ab")),
]
BEDROCK = [
    ({"image": {"format": "png", "source": {"bytes": BYTES}}}, PNG),
    ({"image": {"format": "webp", "source": {"s3Location": {"uri": IN_S3}}}}, File("image/webp", url=IN_S3)),
    (bedrock_document("pdf", bytes=BYTES), File("application/pdf", BYTES, name="A")),
    (bedrock_document("md", text="ä"), File("text/markdown", "ä".encode(), name="A")),
    (bedrock_document("csv", content=[{"text": "a,"}, {"text": "b"}]), File("text/csv", b"a,b", name="A")),
    (
        {"video": {"format": "mp4", "source": {"s3Location": {"uri": IN_S3, "bucketOwner": "1"}}}},
        File("video/mp4", url=IN_S3),
    ),
    ({"audio": {"format": "mp3", "source": {"bytes": BYTES}}}, File("audio/mpeg", BYTES)),
    ({"guardContent": {"image": {"format": "png", "source": {"bytes": BYTES}}}}, PNG),
]
OPENAI = [
    ({"type": "image_url", "image_url": {"url": DATA_URL, "detail": "low"}}, PNG),
    ({"type": "image_url", "image_url": {"url": LINK}}, LINKED),
    ({"type": "image_url", "image_url": {"url": f"DATA:image/PNG;name=a;base64,{DATA}"}}, PNG),
    ({"type": "input_audio", "input_audio": {"data": DATA, "format": "mp3"}}, File("audio/mpeg", BYTES)),
    (
        {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{DATA}", "filename": "a.pdf"}},
        File("application/pdf", BYTES, name="a.pdf"),
    ),
    ({"type": "file", "file": {"file_data": DATA, "filename": "a.csv"}}, File("text/csv", BYTES, name="a.csv")),
    ({"type": "file", "file": {"file_data": DATA}}, File("application/pdf", BYTES)),
    ({"type": "file", "file": {"file_id": "file-1"}}, File("application/pdf", url="openai-file:file-1")),
]
LANGCHAIN = [
    (blocks.create_image_block(base64=DATA, mime_type="image/png"), PNG),
    (blocks.create_image_block(url=LINK), LINKED),
    (blocks.create_image_block(file_id="file-1"), File("image/png", url="openai-file:file-1")),
    (blocks.create_video_block(url=IN_S3), File("video/mp4", url=IN_S3)),
    (blocks.create_audio_block(base64=DATA, mime_type="audio/wav"), File("audio/wav", BYTES)),
    (
        blocks.create_file_block(base64=DATA, mime_type="application/pdf", filename="a.pdf"),
        File("application/pdf", BYTES, name="a.pdf"),
    ),
    (blocks.create_file_block(file_id="file_1"), File("application/pdf", url="anthropic-file:file_1")),
    ({"type": "image", "source_type": "base64", "data": DATA, "mime_type": "image/png"}, PNG),
    ({"type": "image", "source_type": "url", "url": LINK}, LINKED),
    ({"type": "file", "source_type": "id", "id": "file-1"}, File("application/pdf", url="openai-file:file-1")),
    ({"type": "file", "source_type": "text", "text": "ä", "mime_type": "text/plain"}, File("text/plain", "ä".encode())),
    ({"type": "media", "mime_type": "video/mp4", "file_uri": "gs://b/k"}, File("video/mp4", url="gs://b/k")),
    ({"type": "image_url", "image_url": DATA_URL}, PNG),
    *ANTHROPIC[:2],
    *BEDROCK[:1],
    *OPENAI,
]
CASES = [
    *((from_anthropic, block, file) for block, file in ANTHROPIC),
    *((from_bedrock, block, file) for block, file in BEDROCK),
    *((from_openai, block, file) for block, file in OPENAI),
    *((from_langchain, block, file) for block, file in LANGCHAIN),
]


def text(read: Any, value: str) -> dict[str, Any]:
    return {"text": value} if read is from_bedrock else {"type": "text", "text": value}


def with_offset(file: File, offset: int | None) -> File:
    return File(file.media_type, file.data, file.url, file.name, offset)


@pytest.mark.parametrize(("read", "block", "file"), CASES)
def test_a_file_of_a_user_keeps_its_place(read: Any, block: Any, file: File) -> None:
    content = [block, text(read, "ä😀"), block, text(read, "b")]
    (found,) = read({"role": "user", "content": content})
    assert found == AgentMessage("user", "ä😀b", files=(with_offset(file, None), with_offset(file, 2)))
    assert codec.parse(codec.to_json(found)) == found


@pytest.mark.parametrize(("read", "block", "file"), [case for case in CASES if case[0] is not from_openai])
def test_a_file_of_a_result_keeps_its_place(read: Any, block: Any, file: File) -> None:
    content = [text(read, "shot"), block]
    history = {
        from_anthropic: {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": content}]},
        from_bedrock: {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": content}}]},
        from_langchain: ToolMessage(content, tool_call_id="t"),
    }
    assert read([history[read]]) == [
        AgentMessage("tool", "shot", tool_call_id="t", files=(with_offset(file, 4),)),
    ]


def test_a_file_of_a_model_is_kept() -> None:
    block = {"image": {"format": "png", "source": {"bytes": BYTES}}}
    (found,) = from_bedrock({"role": "assistant", "content": [{"text": "Here: "}, block]})
    assert found.files == (with_offset(PNG, 6),)
    assert found.original is not None
    assert from_langchain(AIMessage(["Here: ", LANGCHAIN[0][0]])) == [  # type: ignore[list-item]
        AgentMessage("assistant", "Here: ", files=(with_offset(PNG, 6),))
    ]


SECRET = "s3cr3t"
IMAGE_SOURCE = "content[0].source"
REFUSED = [
    (from_anthropic, image(type="base64", media_type="image/png", data=f"{SECRET}!"), f"{IMAGE_SOURCE}.data"),
    (from_anthropic, image(type="base64", media_type=SECRET, data=DATA), f"{IMAGE_SOURCE}.data"),
    (from_anthropic, image(type="url", url=f"http://{SECRET}.com/a.png"), f"{IMAGE_SOURCE}.url"),
    (from_anthropic, image(type="file", file_id=""), f"{IMAGE_SOURCE}.file_id"),
    (from_anthropic, image(type=SECRET), IMAGE_SOURCE),
    (from_anthropic, document(SECRET, type="content", content=[image()]), f"{IMAGE_SOURCE}.content[0]"),
    (from_anthropic, document(SECRET, type="text", data=""), f"{IMAGE_SOURCE}.data"),
    (from_bedrock, {"audio": {"format": SECRET, "source": {"bytes": BYTES}}}, "content[0].audio.format"),
    (from_bedrock, {"image": {"format": "png", "source": {}}}, "content[0].image.source"),
    (
        from_bedrock,
        {"image": {"format": "png", "source": {"s3Location": {"uri": f"ftp://{SECRET}"}}}},
        "content[0].image.source.s3Location.uri",
    ),
    (from_bedrock, {"document": {"name": SECRET, "source": {"bytes": BYTES}}}, "content[0].document.source.bytes"),
    (from_openai, {"type": "image_url", "image_url": {"url": f"data:,{SECRET}"}}, "content[0].image_url.url"),
    (from_openai, {"type": "image_url", "image_url": {"url": ""}}, "content[0].image_url.url"),
    (
        from_openai,
        {"type": "input_audio", "input_audio": {"data": DATA, "format": SECRET}},
        "content[0].input_audio.format",
    ),
    (from_openai, {"type": "file", "file": {"filename": SECRET}}, "content[0].file"),
    (from_openai, {"type": "file", "file": {"file_data": SECRET, "filename": "a.b"}}, "content[0].file.file_data"),
    (from_langchain, {"type": "image", "file_id": SECRET}, "content[0].file_id"),
    (from_langchain, {"type": "image", "base64": DATA}, "content[0].base64"),
    (from_langchain, {"type": "video"}, "content[0]"),
]


@pytest.mark.parametrize(("read", "block", "path"), REFUSED)
def test_a_file_that_no_message_holds_is_refused(read: Any, block: Any, path: str) -> None:
    with pytest.raises(CodecError) as caught:
        read({"role": "user", "content": [block]})
    assert caught.value.path == path
    assert SECRET not in str(caught.value)


def test_langchain_keeps_no_original() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    found = from_langchain([HumanMessage("q"), AIMessage([thinking, {"type": "text", "text": "a"}])])
    assert [message.original for message in found] == [None, None, None]
