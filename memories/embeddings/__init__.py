"""Embedders behind one interface: texts to vectors, inside this process or behind a network, or not at all."""

from memories.embeddings.asking import is_resting, query_vector
from memories.embeddings.base import Embedder, EmbedderError
from memories.embeddings.choice import active, permitted
from memories.embeddings.language_means import means
from memories.vectors import Means, QueryVector

__all__ = [
    "Embedder",
    "EmbedderError",
    "Means",
    "QueryVector",
    "active",
    "is_resting",
    "means",
    "permitted",
    "query_vector",
]
