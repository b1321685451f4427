#!/bin/bash
# {{tasks}} tasks, each with its share of the cells of a study: bash FILE [OPTIONS OF PARALLEL]
# For example --jobs 6, or --sshloginfile HOSTS --workdir . for machines that share this folder.
# Run it again after an interruption: finished cells are skipped.
set -euo pipefail
cores=$(nproc)
seq {{tasks}} | parallel --jobs "$(((cores + {{cpus}} - 1) / {{cpus}}))" "$@" \
  --joblog {{name}}.parallel.log --retries 3 --termseq TERM,5000,KILL,25 \
  --quote {{command}} --shard {}/{{tasks}}
