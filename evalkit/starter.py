"""The suite that ``evalkit init`` writes: it runs as it is, and its comments say what to change."""

STARTER = """\
# A suite for evalkit: what to measure, on which text. It runs as it is:
#   evalkit run suite.yaml       writes evalkit-report/my-suite/report.md
#   evalkit gate suite.yaml      the consistency checks and thresholds, for continuous integration
version: 1
name: my-suite                   # the report's folder has this name
seed: 17                         # for samples and resampling; never for what is held out

corpora:
  # These two travel with evalkit and are small; `evalkit corpora list` shows the others.
  stories: {builtin: stories}
  web: {builtin: web}

  # Your own text: take away the marks, and train or measure on it by its name.
  # mine:
  #   files: [data/*.txt]              # relative to this file; .txt .md .jsonl .csv, also .gz .bz2 .xz
  #   separator: "<|endoftext|>"       # between documents; without it, each file is one document
  #   language: en
  #   domain: prose                    # or structured, or a name such as news, code, csv: the two are kept apart
  #   eval: {fraction: 0.05}           # held out by document, measured and never trained on (default 10 %),
  #                                    # or files of its own: eval: {files: [data/valid.txt]}
  #   sample: {bytes: 50MB}            # or {documents: 10000}
  # chats:
  #   files: [data/chats.jsonl]
  #   field: text                      # the key that holds the text

tokenizers:
  # Trained here. `evalkit variants` lists the split patterns.
  - name: ours
    variant: gpt2
    train_on: [stories, web]           # or a mix by shares of bytes: {stories: 0.3, web: 0.7}
    vocab_size: 2000                   # a list, such as [8000, 16000, 32000], is trained once for all sizes
    special_tokens: ["<|endoftext|>"]
    # min_frequency: 1                 # where the full size is wanted on little text (default 2)

  # Published ones, to compare with.
  - {name: cl100k_base, tiktoken: cl100k_base}
  # - {name: o200k_base, tiktoken: o200k_base}
  # - {name: before, file: evalkit-report/my-suite/tokenizers/ours}   # trained earlier

  # One token a byte: the floor.
  - {name: bytes, baseline: bytes}

measure:
  metrics: all
  reference: cl100k_base               # what lengths are compared with

gate:
  consistency: all                     # serial = batch = threads = chunked = reference = upstream
  thresholds:
    - {metric: bytes_per_token, tokenizer: ours, corpus: stories, min: 2.5}
"""
