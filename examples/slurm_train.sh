#!/usr/bin/env bash
# One network trained by all processors of several machines, under SLURM. Submit it again to go on after a time limit.
#
#     sbatch examples/slurm_train.sh configs/first.toml my-run
#
# The folder of the checkout has to be on a disk that all machines share; the run lies in runs/my-run.
# Without SLURM, start this on each machine, K from 0 on:
#
#     .venv/bin/torchrun --nnodes 2 --node-rank K --master-addr FIRST --master-port 29500 --nproc-per-node 8 \
#         -m casino_env.train configs/first.toml --set run.name=my-run
#
# Each process plays selfplay.games of its own, so the batch of an iteration is games x horizon x processes.
#SBATCH --job-name=casino
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
set -euo pipefail

config=${1:?which config?}
name=${2:?which name for the run?}
first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)

# A process plays on one core while it learns on another.
processes=$((SLURM_CPUS_PER_TASK / 2))
what=("$config" --set "run.name=$name")
if [ -d "runs/$name/checkpoints" ]; then
    what=(--resume "runs/$name")
fi
srun .venv/bin/torchrun --nnodes "$SLURM_NNODES" --nproc-per-node "$processes" \
    --rdzv-id "$SLURM_JOB_ID" --rdzv-backend c10d --rdzv-endpoint "$first:29500" \
    -m casino_env.train "${what[@]}"
