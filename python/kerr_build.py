"""Makes the wheel (PEP 517): for each platform one, and for every Python 3. It needs nothing but Python, so pip needs no network."""

import base64
import hashlib
import pathlib
import sysconfig
import tomllib
import zipfile

FOLDER = pathlib.Path(__file__).parent
FILES = ["kerr/*.py", "kerr/py.typed", "kerr/lib/libkerr.so.*", "kerr_tinygrad_finder.py", "kerr-tinygrad.pth"]


def _version() -> str:
    file = FOLDER / "VERSION"
    if not file.exists() or not list(FOLDER.glob("kerr/lib/libkerr.so.*")):
        raise SystemExit("this is the source of Kerr's package, without its library: run 'make python' in Kerr's source, then "
                         "pip install build/release/python")
    return file.read_text().strip()


def _metadata(version: str) -> dict[str, str]:
    """The texts of .dist-info by name of file."""
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
    tag = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    return {
        "METADATA": f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\nSummary: {project['description']}\n"
                    f"License: {project['license']['text']}\nRequires-Python: {project['requires-python']}\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: kerr_build\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "top_level.txt": "kerr\nkerr_tinygrad_finder\n",
    }


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    texts = _metadata(version)
    info = f"kerr-{version}.dist-info"
    tag = texts["WHEEL"].split("Tag: ")[1].strip()
    name = f"kerr-{version}-{tag}.whl"
    contents = {str(file.relative_to(FOLDER)): file.read_bytes() for pattern in FILES for file in sorted(FOLDER.glob(pattern))}
    contents |= {f"{info}/{file}": text.encode() for file, text in texts.items()}
    record = ""
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, content in contents.items():
            _put(wheel, file, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{file},sha256={digest},{len(content)}\n"
        _put(wheel, f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode())
    return name


def _put(wheel: zipfile.ZipFile, file: str, content: bytes) -> None:
    """Without a time, so that a version is the same file each time."""
    entry = zipfile.ZipInfo(file)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    wheel.writestr(entry, content)


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("Kerr's source is its repository: there is no source package for Python")
