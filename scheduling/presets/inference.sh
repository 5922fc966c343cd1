#!/bin/bash
#SBATCH --job-name=inference
#SBATCH --partition=inference
#SBATCH --gres=npu:1
#SBATCH --cpus-per-task=4
#SBATCH --time=02:00:00
#SBATCH --output=logs/%j.out

# A stand-in for a model server: answers a made-up request every few seconds until its limit, or until you cancel it.
exec python3 - <<'SERVE'
import os, random, signal, sys, time

signal.signal(signal.SIGTERM, lambda *_: sys.exit("Asked to stop: no further requests."))
print("Model ready on NPU", os.environ["ASCEND_RT_VISIBLE_DEVICES"], flush=True)
answered = 0
while True:
    time.sleep(random.uniform(0.5, 3))
    answered += 1
    print(f"request {answered}: {random.randint(20, 400)} tokens in {random.uniform(0.2, 2):.2f} s", flush=True)
SERVE
