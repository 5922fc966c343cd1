#!/bin/bash
#SBATCH --job-name=llm_finetune          # name
#SBATCH --partition=training
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=8
#SBATCH --gres=npu:8
#SBATCH --time=24:00:00
#SBATCH --output=logs/%j.out
#SBATCH --error=logs/%j.err
#SBATCH --mail-type=END,FAIL
#SBATCH --mail-user=user@company.com
source /usr/local/Ascend/ascend-toolkit/set_env.sh
export GLOG_v=2
echo "Running on nodes: $SLURM_JOB_NODELIST"
export RANK_SIZE=$SLURM_NTASKS
export RANK_TABLE_FILE=./rank_table.json
python generate_rank_table.py --nodes $SLURM_JOB_NODELIST --npus 8
srun python train.py --config config.yaml --distributed True
