"""Types that openapi-typescript generates from openapi.yaml compile, and hold for every request and reply."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import urllib3

from tests.support.openapi import OPERATIONS, PATH, Described

PACKAGES = ("openapi-typescript@7", "typescript@5")
OPTIONS = ("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the generated types."""
    if shutil.which("npm") is None:
        pytest.skip("needs Node.js with npm")
    folder = tmp_path_factory.mktemp("types")
    if run(folder, "tsc", "--version").returncode != 0:
        pytest.skip("needs the packages openapi-typescript and typescript from the npm registry")
    ended = run(folder, "openapi-typescript", str(PATH), "-o", "schema.ts")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    packages = [f"--package={package}" for package in PACKAGES]
    return subprocess.run(
        ["npm", "exec", "--yes", *packages, "--", *command], cwd=folder, capture_output=True, text=True
    )


def test_every_request_and_reply_has_its_type(folder: Path, url: str) -> None:
    lines = ['import type { paths } from "./schema";']
    for number, operation in enumerate(OPERATIONS):
        place = f'paths["{operation.path}"]["{operation.method}"]'
        for index, body in enumerate(operation.bodies or [None]):
            if body is not None:
                of_body = f'NonNullable<{place}["requestBody"]>["content"]["application/json"]'
                lines.append(f"export const body{number}_{index}: {of_body} = {json.dumps(body)};")
            status, media_type, reply = answer(url, operation, body)
            of_reply = f'{place}["responses"]["{status}"]["content"]["{media_type}"]'
            lines.append(f"export const reply{number}_{index}: {of_reply} = {json.dumps(reply)};")
    (folder / "usage.ts").write_text("\n".join(lines), encoding="utf-8")
    ended = run(folder, "tsc", *OPTIONS, "usage.ts")
    assert ended.returncode == 0, ended.stdout


def answer(url: str, operation: Described, body: Any) -> tuple[int, str, Any]:
    conversation = "full" if operation.method == "get" else f"typed-{operation.name}"
    path = operation.path.format(conversation=conversation, role="user")
    reply = urllib3.request(operation.method.upper(), url + path, json=body, timeout=120)
    return reply.status, reply.headers["content-type"], reply.json()
