"""The built-in formats by the ids of their agents."""

from curator.transcripts import BUILT_IN

FORMATS = {format_.agent: format_ for format_ in BUILT_IN}
