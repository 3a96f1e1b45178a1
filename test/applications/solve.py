"""Run a Python program as it is, then print a norm of what it solved and the type of its matrix: solve.py PROGRAM SOLUTION MATRIX (expressions of its globals)."""
import runpy
import sys

names = runpy.run_path(sys.argv[1])
print("answer", eval(sys.argv[2], names))
print("matrix of type", eval(sys.argv[3], names))
