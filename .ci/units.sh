#!/usr/bin/env bash
# units.sh FOLDER COUNT FILE...: gathers sources into units that are compiled as one, since most of a compiler's time goes into headers. A unit includes up to
# COUNT files of one folder and one kind, and is called as the first of them, below FOLDER/unit; a file that instantiates class templates is long enough and stays
# alone. Prints what is to be compiled: unit/FILE or FILE. A unit that says what it said before is not written again.
set -euo pipefail
folder=$1 count=$2
shift 2
declare -A unit left text
alone=$'\n'$(grep -lE '^(template (class|struct) [A-Za-z]+<|FOR_EACH_[A-Z]+\(INSTANTIATE,)' "$@" || true)$'\n'
for file in "$@"; do
  kind=${file%/*}/.${file##*.}
  if [[ $alone == *$'\n'$file$'\n'* ]]; then
    echo "$file"
    continue
  fi
  if [ "${left[$kind]:-0}" -eq 0 ]; then unit[$kind]=$file left[$kind]=$count; fi
  left[$kind]=$((left[$kind] - 1))
  text[${unit[$kind]}]+="#include \"$file\""$'\n'
done
for name in "${!text[@]}"; do
  path=$folder/unit/$name
  echo "unit/$name"
  if [ ! -f "$path" ] || [ "$(<"$path")"$'\n' != "${text[$name]}" ]; then
    mkdir -p "${path%/*}"
    printf %s "${text[$name]}" >"$path"
  fi
done
