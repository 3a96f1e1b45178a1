# awk -f numdiff.awk FILE1 FILE2: the same text, with numbers equal within rounding. Prints the first difference and exits with 1.
function is_number(t) { return t ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }
function size(x) { return x < 0 ? -x : x }
function differs(a, b) {
  if (a == b) return 0
  if (!is_number(a) || !is_number(b)) return 1
  return size(a - b) > 1e-9 + 2e-5 * (size(a) > size(b) ? size(a) : size(b))
}
FNR == NR { first[FNR] = $0; n1 = FNR; next }
{ n2 = FNR
  k = split(first[FNR], a, /[][ \t,;:()=<>%]+/)
  l = split($0, b, /[][ \t,;:()=<>%]+/)
  bad = k != l || FNR > n1
  for (i = 1; i <= k && !bad; i++) bad = differs(a[i], b[i])
  if (bad) { printf "line %d: \"%s\" against \"%s\"\n", FNR, first[FNR], $0; found = 1; exit }
}
END {
  if (!found && n1 != n2) { printf "%d lines against %d\n", n1, n2; found = 1 }
  exit found
}
