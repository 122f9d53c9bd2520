"""Media types of files, by the name of their format.

The names are those of the Converse API (`ImageFormat`, `DocumentFormat`, `VideoFormat`, `AudioFormat` in
docs.aws.amazon.com/bedrock/latest/APIReference), and most of them are also the usual extensions of file names.
"""

from __future__ import annotations

_OFFICE = "application/vnd.openxmlformats-officedocument"

IMAGES = {"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
DOCUMENTS = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "html": "text/html",
    "txt": "text/plain",
    "md": "text/markdown",
}
VIDEOS = {
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "flv": "video/x-flv",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "wmv": "video/x-ms-wmv",
    "three_gp": "video/3gpp",
}
AUDIO = {
    "mp3": "audio/mpeg",
    "opus": "audio/opus",
    "wav": "audio/wav",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "mp4": "audio/mp4",
    "ogg": "audio/ogg",
    "mkv": "audio/x-matroska",
    "mka": "audio/x-matroska",
    "x-aac": "audio/x-aac",
    "m4a": "audio/mp4",
    "mpeg": "audio/mpeg",
    "mpga": "audio/mpeg",
    "pcm": "audio/pcm",
    "webm": "audio/webm",
}
EXTENSIONS = AUDIO | VIDEOS | DOCUMENTS | IMAGES | {"jpg": "image/jpeg", "htm": "text/html", "3gp": "video/3gpp"}
