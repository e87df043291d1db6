#!/usr/bin/env bash
# Many trainings on several machines, under SLURM: each machine trains its part of the names. Submit it again to resume
# after a time limit.
#
#     sbatch --array=0-3 examples/slurm_train.sh swazi-2 swazi-3 royal-2 cassino-2 kasa-2
#
# The checkout must be on a disk that all machines share; the runs are in runs/NAME.
#SBATCH --job-name=casino
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
set -euo pipefail

machine=${SLURM_ARRAY_TASK_ID:-0} machines=${SLURM_ARRAY_TASK_COUNT:-1}
mine=()
for ((k = machine + 1; k <= $#; k += machines)); do
    mine+=("${!k}")
done
[ ${#mine[@]} -eq 0 ] || .venv/bin/casino train opponents "${mine[@]}"
