#!/bin/bash
#SBATCH --job-name=sweep
#SBATCH --nodes=1
#SBATCH --ntasks=4
#SBATCH --cpus-per-task=2
#SBATCH --gres=npu:4
#SBATCH --time=00:10:00
#SBATCH --output=logs/%j.out
set -e

# Four learning rates side by side, one task and one NPU each; the best is named at the end.
cat > trial.py <<'TRIAL'
import os, time

rank = int(os.environ["SLURM_PROCID"])
rate = (1e-3, 3e-4, 1e-4, 3e-5)[rank]
npu = os.environ["ASCEND_RT_VISIBLE_DEVICES"].split(",")[rank]
for step in range(1, 16):
    time.sleep(1)
    loss = 1.0 + abs(rate - 3e-4) * 900 + 2 / step
    print(f"NPU {npu}  rate {rate:g}  step {step:2}  loss {loss:.3f}", flush=True)
with open(f"trial-{rank}.txt", "w") as file:
    file.write(f"{loss:.3f} {rate:g}\n")
TRIAL
srun python3 trial.py
echo "Best (loss, learning rate): $(sort -n trial-*.txt | head -n 1)"
