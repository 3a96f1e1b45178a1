"""What the benches of solvers share: running one of the examples, its line of JSON, the memory that it took, and bars as SVG."""
import json
import os
import subprocess
import tempfile
import threading
import time

BUILD = os.environ.get("BUILD", "build")
LIBRARY = os.path.abspath(os.path.join(BUILD, "lib", "libgoza.so"))
TIMEOUT = int(os.environ.get("TIMEOUT", "300"))


def device_memory():
    """MB in use on the GPU, 0 where there is none."""
    try:
        text = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True, timeout=10).stdout
        return max((int(word) for word in text.split()), default=0)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 0


def solve(program, options, ranks=1, device_mb=False):
    """The lines of JSON of BUILD/bin/PROGRAM on so many MPI ranks, the last one with the largest memory in MB of the host, and with device_mb of the GPU, which asking for slows down. Or {"failed": why}."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        launcher = [os.environ.get("MPIEXEC") or "mpiexec", "-n", str(ranks)] if ranks > 1 else []
        command = [*launcher, os.path.join(BUILD, "bin", program), *options, "-json", path]
        log = open(os.path.join(folder, "log"), "w+")
        before, most = device_memory() if device_mb else 0, 0
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        alarm = threading.Timer(TIMEOUT, process.kill)
        alarm.start()
        usage = None
        while usage is None:
            pid, _, rusage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                usage = rusage
            else:
                if before:
                    most = max(most, device_memory())
                time.sleep(0.02)
        alarm.cancel()
        if not os.path.exists(path):
            log.seek(0)
            said = [line for line in log if any(letter.isalpha() for letter in line)]
            errors = [line for line in said if "PETSC ERROR" in line or "not converge" in line]
            return [{"failed": (errors[2] if len(errors) > 2 else said[0] if said else "no result").strip()}]  # said[0]: by the launcher
        with open(path) as file:
            lines = [json.loads(line) for line in file]
        lines[-1].update(host_mb=usage.ru_maxrss / 1024, device_mb=max(0, most - before), command=" ".join(command[:-2]))
        return lines


def device_options():
    """Options that put vectors and matrices on the GPU where PETSc can; and whether it can."""
    on_gpu = "failed" not in solve("darcy", ["-n", "4", "-dm_vec_type", "cuda", "-dm_mat_type", "aijcusparse"])[-1]
    return (["-dm_vec_type", "cuda"] if on_gpu else []), on_gpu


def gpu_name():
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, timeout=10).stdout.splitlines()[0]
    except (OSError, IndexError):
        return None
