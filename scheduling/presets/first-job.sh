#!/bin/bash
#SBATCH --job-name=first-job
#SBATCH --gres=npu:2
#SBATCH --cpus-per-task=2
#SBATCH --time=00:05:00
#SBATCH --output=logs/%j.out

# Two NPUs for twenty seconds: says which ones it was given and counts its steps.
echo "Job $SLURM_JOB_ID runs on $SLURM_JOB_NODELIST with NPUs $ASCEND_RT_VISIBLE_DEVICES"

for step in $(seq 1 20); do
    echo "$(date +%T)  step $step of 20"
    sleep 1
done

echo "Done."
