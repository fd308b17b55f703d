#!/usr/bin/env bash
# A Slurm array job of `rustle batch`: each task analyses its part of the files; their results share one folder.
#
#   find /archive -name '*.flac' >list
#   sbatch --array=0-15 slurm-array.sh list results meter,pitch
#
# A job that was ended is submitted again as it is: what is there is not computed again.
#SBATCH --job-name=rustle-batch
#SBATCH --cpus-per-task=4
#SBATCH --mem=1G
#SBATCH --requeue
set -euo pipefail
[ $# -ge 2 ] || {
  echo "usage: sbatch --array=0-N slurm-array.sh LIST OUTPUT [ANALYSES]" >&2
  exit 64
}
# RUSTLE_SHARDS is the number of parts where only some of them are submitted again. Without it the array has all, 0 to the last one.
count=${RUSTLE_SHARDS:-$((SLURM_ARRAY_TASK_MAX + 1))}
tasks=${SLURM_ARRAY_TASK_COUNT:-$count} first=${SLURM_ARRAY_TASK_MIN:-0}
if [ -z "${RUSTLE_SHARDS:-}" ] && { [ "$first" -ne 0 ] || [ "$tasks" -ne "$count" ]; }; then
  echo "expected --array=0-$((count - 1)) or RUSTLE_SHARDS, got $tasks tasks from $first to $SLURM_ARRAY_TASK_MAX" >&2
  exit 64
fi
exec rustle batch --files-from "$1" --output "$2" --analysis "${3:-meter}" \
  --jobs "${SLURM_CPUS_PER_TASK:-1}" --shard "$SLURM_ARRAY_TASK_ID/$count"
