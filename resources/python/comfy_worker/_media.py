"""The media type of a result, by its content, else by its name."""

from __future__ import annotations

SIGNATURES = (
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF8"),
    ("image/webp", 8, b"WEBP"),
    ("image/avif", 4, b"ftypavi"),
    ("audio/wav", 8, b"WAVE"),
    ("audio/flac", 0, b"fLaC"),
    ("audio/ogg", 0, b"OggS"),
    ("audio/mpeg", 0, b"ID3"),
    ("video/quicktime", 4, b"ftypqt  "),
    ("video/mp4", 4, b"ftyp"),
    ("model/gltf-binary", 0, b"glTF"),
)
ENDINGS = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": "image/svg+xml",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "mkv": "video/matroska",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "glb": "model/gltf-binary",
    "txt": "text/plain",
}


def media_type(content: bytes, name: str) -> str:
    for kind, at, mark in SIGNATURES:
        if content[at : at + len(mark)] == mark:
            return kind
    by_name = ENDINGS.get(name.rpartition(".")[2].lower())
    if by_name is not None:
        return by_name
    head = content[:4096]
    is_text = head and not any(byte == 127 or (byte < 32 and not 9 <= byte <= 13) for byte in head)
    return "text/plain" if is_text else "application/octet-stream"
