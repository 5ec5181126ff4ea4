"""Areas of a namespace as one string each: lists of labels of which a prefix can be asked for. Pure."""

from __future__ import annotations

from collections.abc import Sequence

PATH_END = "/"


def path_key(path: Sequence[str]) -> str:
    """One string per list of labels, such that a list is a prefix of another exactly when its string is."""
    return "".join(label.replace("~", "~0").replace("/", "~1") + PATH_END for label in path)


def path_of(key: str) -> tuple[str, ...]:
    """The list of labels that a string of `path_key` stands for."""
    return tuple(label.replace("~1", "/").replace("~0", "~") for label in key.split(PATH_END)[:-1])


def areas_of(key: str) -> list[str]:
    """The area that a string of `path_key` stands for and those above it, from the outermost."""
    labels = path_of(key)
    return [path_key(labels[: depth + 1]) for depth in range(len(labels))]
