"""The formats of word times, and where the reader of each is."""

from __future__ import annotations

# Each format and its reader, `module:name`, imported when it is needed.
FORMATS = {
    "textgrid": "textgrid:read_textgrid",
    "mfa-json": "mfa:read_json",
    "mfa-csv": "mfa:read_csv",
    "ctm": "ctm:read_ctm",
    "whisper": "whisper:read_whisper",
    "whisper-cpp": "whisper:read_cpp",
    "whisper-tsv": "subtitles:read_whisper_tsv",
    "srt": "subtitles:read_srt",
    "vtt": "subtitles:read_vtt",
    "aws": "recognisers:aws",
    "google": "recognisers:google",
    "ibm": "recognisers:ibm",
    "azure": "recognisers:azure",
    "deepgram": "recognisers:deepgram",
    "assemblyai": "recognisers:assemblyai",
    "vosk": "recognisers:vosk",
    "nemo": "recognisers:nemo",
    "speechmatics": "recognisers:speechmatics",
    "rev": "recognisers:rev",
    "bbc-kaldi": "recognisers:bbc_kaldi",
    "pocketsphinx": "recognisers:pocketsphinx",
    "gentle": "recognisers:gentle",
    "eaf": "elan:read_eaf",
    "chat": "chat:read_chat",
    "timit": "labels:read_timit",
    "buckeye": "labels:read_buckeye",
    "ms98": "labels:read_ms98",
    "htk": "labels:read_htk",
    "partitur": "partitur:read_partitur",
    "nxt": "nxt:read_nxt",
    "tsv": "plain:read_table",
    "json": "plain:read_list",
}
