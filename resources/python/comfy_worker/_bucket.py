"""Uploads results to a bucket, under the names that the public image worker gives them."""

from __future__ import annotations

import os
import time
import uuid
from urllib.parse import urlsplit

# Seconds for which the address of a result works. source: the public SDK, rp_upload.
ADDRESS_S = 604_800


def upload(job_id: str, filename: str, content: bytes, media: str) -> str:
    """The address of the uploaded file. Raises an exception that says why not."""
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise RuntimeError("boto3 is not in this image. Add it to the image, or remove BUCKET_ENDPOINT_URL") from None
    endpoint = os.environ["BUCKET_ENDPOINT_URL"]
    client = boto3.session.Session().client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=os.environ.get("BUCKET_ACCESS_KEY_ID"),
        aws_secret_access_key=os.environ.get("BUCKET_SECRET_ACCESS_KEY"),
        region_name=_region(endpoint),
        config=Config(signature_version="s3v4", retries={"max_attempts": 3, "mode": "standard"}),
    )
    bucket = time.strftime("%m-%y")
    key = f"{job_id}/{uuid.uuid4().hex[:8]}{os.path.splitext(filename)[1] or '.png'}"
    client.put_object(Bucket=bucket, Key=key, Body=content, ContentType=media)
    address: str = client.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": key}, ExpiresIn=ADDRESS_S)
    return address


def _region(endpoint: str) -> str | None:
    if ".s3." in endpoint:
        return endpoint.split(".s3.")[1].split(".")[0]
    host = urlsplit(endpoint).netloc
    return host.split(".")[-3] if host.endswith(".digitaloceanspaces.com") else None
