#!/bin/bash
# {{tasks}} tasks, each with its share of the cells of a study. Submit it with `sbatch FILE`; options given to sbatch
# there win over those below: --partition=short, --account=art, --array=1-{{tasks}}%8.
#SBATCH --job-name={{name}}
#SBATCH --array=1-{{tasks}}
#SBATCH --time={{minutes}}
#SBATCH --mem={{memory}}G
#SBATCH --cpus-per-task={{cpus}}
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output={{name}}-%A_%a.log

{{command}} --shard "$SLURM_ARRAY_TASK_ID/{{tasks}}" &
worker=$!
# A minute before the time limit: the worker saves what it has and gives its cells back, and the task is queued again.
trap 'out_of_time=1; kill -USR1 "$worker"' USR1
# Cancelled or preempted: the same, and Slurm decides.
trap 'kill -TERM "$worker"' TERM
wait "$worker"
code=$?
while kill -0 "$worker" 2>/dev/null; do
  wait "$worker"
  code=$?
done
if [ -n "${out_of_time:-}" ] && [ "$code" -eq 130 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
