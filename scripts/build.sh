#!/bin/sh
# build.sh PRESET [TARGET ...]: configures once, then builds, with one line that says how far it is. Where the output is
# no terminal, a line each time another tenth is done. What the compiler has to say is passed on whole.
set -eu
preset=$1
shift
what="${*:-everything}"
folder=build/$preset
# Ninja runs cmake again by itself when a CMakeLists.txt or a list of files changes.
[ -f "$folder/build.ninja" ] || cmake --preset "$preset" >/dev/null

# Ninja's status is cut into fields at '|': steps done, steps in all, what is being made.
progress() {
  shown=0
  while IFS= read -r line; do
    case $line in
      "step|"*) ;;
      "exit|"*) code=${line#exit|}; continue ;;
      "ninja: no work to do." | "ninja: Entering directory"*) continue ;;
      *) [ -t 1 ] && printf '\r\033[K'
         printf '%s\n' "$line"
         continue ;;
    esac
    rest=${line#step|}
    done=${rest%%|*}
    rest=${rest#*|}
    all=${rest%%|*}
    made=${rest##* }
    case $made in *CMakeFiles/*.dir/*) made=${made%%CMakeFiles/*}${made#*.dir/} ;; esac
    made=${made%.o}
    if [ -t 1 ]; then
      printf '\r\033[Kkerr: building %s, step %s of %s: %.50s' "$what" "$done" "$all" "$made"
    elif [ $((done * 10 / all)) -gt $shown ]; then
      shown=$((done * 10 / all))
      printf 'kerr: building %s, step %s of %s: %s\n' "$what" "$done" "$all" "$made"
    fi
  done
  [ -t 1 ] && printf '\r\033[K'
  return "$code"
}

{ code=0; NINJA_STATUS='step|%f|%t|' ninja -C "$folder" "$@" 2>&1 || code=$?; echo "exit|$code"; } | progress
