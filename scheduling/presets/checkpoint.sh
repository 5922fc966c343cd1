#!/bin/bash
#SBATCH --job-name=checkpoint
#SBATCH --gres=npu:1
#SBATCH --time=00:10:00
#SBATCH --requeue
#SBATCH --output=logs/%j.out

# Counts to 90. Asked to stop (SIGTERM: a recall, a cancel, the time limit) it saves where it is;
# started again in the same folder it goes on from there.
step=0
if [ -f checkpoint.txt ]; then
    step=$(cat checkpoint.txt)
    echo "Resuming after step $step"
fi

save() {
    echo "$step" > checkpoint.tmp && mv checkpoint.tmp checkpoint.txt
    echo "Checkpoint: step $step"
}
trap 'save; echo "Asked to stop."; exit 143' TERM

while [ "$step" -lt 90 ]; do
    sleep 1 & wait $!
    step=$((step + 1))
    echo "step $step of 90"
    if [ $((step % 15)) -eq 0 ]; then save; fi
done
echo "Done."
