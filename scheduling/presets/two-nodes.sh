#!/bin/bash
#SBATCH --job-name=llm_finetune_demo     # name
#SBATCH --partition=training
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=8
#SBATCH --gres=npu:8
#SBATCH --time=00:10:00
#SBATCH --output=logs/%j.out
#SBATCH --error=logs/%j.err
set -e

echo "Running on nodes: $SLURM_JOB_NODELIST"
export RANK_SIZE=$SLURM_NTASKS
export RANK_TABLE_FILE=./rank_table.json

# Who is which rank: one entry for each NPU of each node.
scontrol show hostnames "$SLURM_JOB_NODELIST" | python3 -c '
import json, sys
nodes = sys.stdin.read().split()
servers = [
    {"server_id": node, "device": [{"device_id": str(npu), "rank_id": str(8 * place + npu)} for npu in range(8)]}
    for place, node in enumerate(nodes)
]
print(json.dumps({"version": "1.0", "server_count": str(len(nodes)), "server_list": servers}, indent=1))
' > "$RANK_TABLE_FILE"
echo "Rank table: $(grep -c rank_id "$RANK_TABLE_FILE") ranks in $RANK_TABLE_FILE"

# A stand-in for the training: each rank finds its NPU, rank 0 tells the loss.
cat > train.py <<'TRAIN'
import json, math, os, time

rank, size = int(os.environ["SLURM_PROCID"]), int(os.environ["RANK_SIZE"])
node, local = os.environ["SLURMD_NODENAME"], int(os.environ["SLURM_LOCALID"])
npu = os.environ["ASCEND_RT_VISIBLE_DEVICES"].split(",")[local]
with open(os.environ["RANK_TABLE_FILE"]) as table:
    assert json.load(table)["server_count"] == os.environ["SLURM_NNODES"]
print(f"rank {rank:2} of {size} on {node}, NPU {npu}", flush=True)
for step in range(1, 21):
    time.sleep(1)
    if rank == 0:
        print(f"step {10 * step:3}  loss {1.2 + 2.6 * math.exp(-step / 7):.4f}", flush=True)
TRAIN
srun python3 train.py
echo "Training has ended."
