#!/usr/bin/env python3
"""translate.py FOLDER: copies what is built and tested there, with what a host's compiler does not know of CUDA said in C++. A file that is there as it would be
written is not written again. An error where something to translate is no longer in the sources; PTX that is not translated is one of the assembler."""
import pathlib, re, sys

# a regular expression and what stands for it, in files below src
TRANSLATED = [(re.compile(pattern), by) for pattern, by in (
    # the launch of a kernel; of one of a cluster, which has one block here, too
    (r"  void \*all\[\] = \{&arguments\.\.\., nullptr\};\n\n  start_kernel\(reinterpret_cast<const void \*>\(kernel\), shared, blocks, threads, all, how\);",
     "  emulated::run(__PRETTY_FUNCTION__, blocks, threads, shared, how == Start::WholeGrid, [&] { kernel(arguments...); });"),
    # shared memory of a size that the launch gives
    (r"extern __shared__ (?:__align__\(16\) )?(\w+) +(\w+)\[\];", r"\1 *const \2 = reinterpret_cast<\1 *>(emulated::dynamic_memory());"),
    # PTX
    (r'asm volatile\("mov\.u32 %0, %%tid\.x;" : "=r"\((\w+)\)\);', r"\1 = threadIdx.x;"),
    (r'asm volatile\("mov\.u32 %0, %%ctaid\.([xyz]);" : "=r"\((\w+)\)\);', r"\2 = blockIdx.\1;"),
    (r'asm volatile\("mov\.u64 %0, %%?globaltimer;" : "=l"\((\w+)\)\);', r"\1 = emulated::nanoseconds();"),
    (r'asm volatile\("bar\.sync %0, %1;" ::"r"\((\w+)\), "r"\((\w+)\) : "memory"\);', r"emulated::sync_named(\1, \2, true);"),
    (r'asm volatile\("bar\.arrive %0, %1;" ::"r"\((\w+)\), "r"\((\w+)\) : "memory"\);', r"emulated::sync_named(\1, \2, false);"),
    (r'asm volatile\("st\.volatile\.global\.v2\.u64 \[%0\], \{%1, %2\};" ::"l"\(to\), "l"\(a\), "l"\(b\) : "memory"\);', "store_word(to, a);\n  store_word(to + 1, b);"),
    (r'asm volatile\("ld\.volatile\.global\.v2\.u64 \{%0, %1\}, \[%2\];" : "=l"\(\*a\), "=l"\(\*b\) : "l"\(from\) : "memory"\);',
     "*a = load_word(from);\n  *b = load_word(from + 1);\n  emulated::yield();"),
    (r'asm\("rcp\.approx\.ftz\.f64 %0, %1;" : "=d"\(y\) : "d"\(x\)\);', "y = 1 / static_cast<float>(x);"),
    (r'#if defined\(__CUDA_ARCH__\)\n  float f;\n\n  asm\("cvt\.f32\.f16 ', r'#if 0\n  float f;\n\n  asm("'),  # as the host does
    (r"__noinline__ ", ""),
)]


def main(folder):
    found = set()
    kept = {"makefile", "CMakeLists.txt"}
    for top in (".ci", "src", "include", "examples", "test"):
        kept |= {str(p) for p in pathlib.Path(top).rglob("*") if p.is_file() and "__pycache__" not in p.parts and "results" not in p.parts}
    for name in sorted(kept):
        path, text = folder / name, pathlib.Path(name).read_bytes()
        if name.startswith("src/") and name.endswith((".cu", ".hpp")):
            said = text.decode()
            for pattern, by in TRANSLATED:
                said, n = pattern.subn(by, said)
                if n: found.add(pattern)
            text = said.encode()
        if path.is_file() and path.read_bytes() == text: continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        path.chmod(pathlib.Path(name).stat().st_mode)
    for path in sorted(p for top in ("src", "include", "test") for p in (folder / top).rglob("*") if p.is_file()):
        if str(path.relative_to(folder)) not in kept: path.unlink()
    for pattern, _ in TRANSLATED:
        if pattern not in found: sys.exit(f"test/emulated/translate.py: nothing in src is like {pattern.pattern}")


main(pathlib.Path(sys.argv[1]))
