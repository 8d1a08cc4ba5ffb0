"""Draws a picture from a text and a seed, in the shape that image workers answer with. There is no model behind it."""

import base64
import hashlib
import struct
import zlib

SIZES = range(16, 1025)


def handler(job):
    """The same text and seed give the same picture."""
    prompt = str(job["input"].get("prompt", ""))
    seed = int(job["input"].get("seed", 0))
    size = int(job["input"].get("size", 256))
    if size not in SIZES:
        raise ValueError(f"size must be from {SIZES.start} to {SIZES.stop - 1}")
    data = base64.b64encode(png(size, rows(size, hashlib.sha256(f"{seed} {prompt}".encode()).digest()))).decode()
    return {"images": [{"filename": "picture_00001_.png", "type": "base64", "data": data}]}


def rows(size, tone):
    """Two colours that flow into each other, with a disc in front."""
    middle_x, middle_y = (64 + tone[6] // 2) * size // 256, (64 + tone[7] // 2) * size // 256
    radius = (24 + tone[8] // 4) * size // 256
    for y in range(size):
        row = bytearray()
        for x in range(size):
            inside = (x - middle_x) ** 2 + (y - middle_y) ** 2 < radius**2
            share = (x + y) / (2 * size)
            for channel in range(3):
                mixed = tone[channel] * (1 - share) + tone[channel + 3] * share
                row.append(tone[channel + 9] if inside else int(mixed))
        yield bytes(row)


def png(size, lines):
    """A PNG of 8 bits a channel. Each line begins with its filter: 0, no filter."""
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + line for line in lines))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def chunk(kind, data):
    """A part of a PNG with its length and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
