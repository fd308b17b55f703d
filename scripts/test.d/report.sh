# shellcheck shell=bash disable=SC2154
# The output of scripts/test: a line at the beginning and the end of each runner, the
# duration of each step, and the failures. Sourced, never run; $root, $long and $work, a temporary folder, are those of
# scripts/test.

# The time limit of a runner in seconds: many times its duration.
# shellcheck disable=SC2034 # for those beside
runner_limit=$($long && echo 14400 || echo 900)
labels=()
# Files that concurrent runners append to: a line for each step, and the counts of each runner.
touch "$work/steps" "$work/counts"

# begins LABEL: the first line of a runner.
begins() { printf '%(%H:%M:%S)T  %s ...\n' -1 "$1"; }

# ends LABEL PASSED FAILED SECONDS: its last line.
ends() { printf '%(%H:%M:%S)T  %-48s %5d passed %5d failed %5d s\n' -1 "$@"; }

# step NAME COMMAND...: runs it, and stores its duration for the summary.
step() {
  local name=$1 start=$SECONDS
  shift
  "$@"
  printf '%5d s  %s\n' $((SECONDS - start)) "$name" >>"$work/steps"
}

# built LABEL COMMAND...: a step that is not a test; when it fails, nothing else runs.
built() {
  local label=$1
  begins "$label"
  step "$label" quietly "$label" "${@:2}"
}

# count LABEL PASSED FAILED LOG: adds one runner's result; when something failed, shows the end of its log without the build's
# progress, and stores the lines that name the failures for the summary.
count() {
  echo "$2 $3" >>"$work/counts"
  [ "$3" -gt 0 ] || return 0
  local kept
  kept="$root/.build-logs/$(tr -c '[:alnum:]\n' - <<<"$1").log"
  mkdir -p "$root/.build-logs"
  cp "$4" "$kept"
  grep -vE '^\[[0-9]+/[0-9]+\]|^(◇|✔)|ld\.gold: warning: Cannot export local symbol' "$4" | tail -n 60 | sed 's/^/  /' >&2 || true
  say "  the whole log is ${kept#"$root/"}"
  {
    echo "$1:"
    grep -E -A 3 'recorded an issue|^test .* FAILED$|^FAILED |panicked at .*tests|^error|(Thread|Address|Leak)Sanitizer:' "$4" |
      grep -vE '^(--|◇|✔)' | head -n 20 | cut -c 1-300 | sed 's/^/  /'
  } >>"$work/failures" || true
}

# result LABEL PASSED FAILED LOG SECONDS: the end of a runner.
result() {
  ends "$1" "$2" "$3" "$5"
  count "$1" "$2" "$3" "$4"
}

# one LABEL COMMAND...: a command that is one test.
one() {
  local label=$1 log start=$SECONDS
  log=$(mktemp -p "$work")
  shift
  begins "$label"
  if "$@" >"$log" 2>&1; then
    result "$label" 1 0 "$log" $((SECONDS - start))
  else
    result "$label" 0 1 "$log" $((SECONDS - start))
  fi
}

# counted LABEL COMMAND...: a command whose last line is `N passed, N failed`.
counted() {
  local label=$1 log start=$SECONDS good bad
  log=$(mktemp -p "$work")
  shift
  begins "$label"
  "$@" >"$log" 2>&1 || true
  # One that was stopped has no such line.
  read -r good bad < <(sed -nE '$s/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log") || true
  result "$label" "${good:-0}" "${bad:-1}" "$log" $((SECONDS - start))
}

# The background commands that wait and do not compute.
waiting=0

# a_processor: returns once fewer commands compute in the background than there are processors.
a_processor() {
  while [ "$(jobs -rp | wc -l)" -ge $(($(getconf _NPROCESSORS_ONLN) + waiting)) ]; do wait -n || true; done
}

# beside LABEL COMMAND...: as `one`, in the background: `gather` counts the results.
beside() {
  local label=$1 file="$work/beside-$BASHPID/${#labels[@]}"
  mkdir -p "$(dirname "$file")"
  labels+=("$label")
  shift
  a_processor
  begins "$label"
  {
    local start=$SECONDS good=1
    "$@" >"$file.log" 2>&1 || good=0
    ends "$label" "$good" $((1 - good)) $((SECONDS - start))
    echo "$good $((1 - good))" >"$file.counts"
  } &
}

# gather: waits for the background commands and counts their results in the order of their starts.
gather() {
  local number good bad folder="$work/beside-$BASHPID"
  wait
  for number in "${!labels[@]}"; do
    # One that was killed has written nothing.
    read -r good bad < <(cat "$folder/$number.counts" 2>/dev/null || echo 0 1)
    count "${labels[number]}" "$good" "$bad" "$folder/$number.log"
  done
  labels=()
  waiting=0
}

# summary: the duration of each step, the failures, and the last line.
summary() {
  local passed failed
  read -r passed failed < <(awk '{good += $1; bad += $2} END {print good + 0, bad + 0}' "$work/counts")
  cat "$work/steps"
  printf '%5d s  all\n' "$SECONDS"
  if [ -s "$work/failures" ]; then
    say "failures:"
    cat "$work/failures" >&2
  fi
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
