# shellcheck shell=bash
# Functions shared by the scripts. Sourced, never run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export root

# Swift's clang, which has the runtimes of all sanitizers, goes before one of the system's.
if [ "$(uname)" = Linux ] && swift=$(command -v swift); then PATH=$(dirname "$(readlink -f "$swift")"):$PATH; fi
unset swift

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# usage: prints the comment at the head of the running script.
usage() { awk 'NR > 1 { if (!sub(/^# ?/, "")) exit; print }' "$0"; }

# Every script prints its usage for -h and --help and does nothing else. Arguments after -- belong to another command.
for argument in "$@"; do
  case $argument in
    --) break ;;
    -h | --help)
      usage
      exit 0
      ;;
  esac
done
unset argument

# no_arguments ARGUMENT...: for scripts that take none.
no_arguments() { [ $# -eq 0 ] || die "usage: scripts/${0##*/} (no arguments); got: $*"; }

# macOS has bash 3.2, which treats an empty array as unset.
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
  die "expected bash 4.4 or newer, got $BASH_VERSION: brew install bash"
fi
# A failure inside $(…) ends the script as one outside does.
shopt -s inherit_errexit

# need COMMAND WHERE-FROM: fails with a hint if the command is missing.
need() { command -v "$1" >/dev/null 2>&1 || die "$1 is missing: $2"; }

# timed NAME COMMAND...: runs it and prints its duration in seconds.
timed() {
  local name=$1 start=$SECONDS
  shift
  "$@"
  say "$(printf '%5d s  %s' $((SECONDS - start)) "$name")"
}

# quietly LABEL COMMAND...: shows a command's output only when it fails.
quietly() {
  local label=$1 log status=0
  shift
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    cat "$log" >&2
    rm -f "$log"
    die "$label failed with status $status"
  fi
  rm -f "$log"
}

# within SECONDS COMMAND...: ends a program that takes longer, with status 124: a test that hangs fails.
within() {
  local group=()
  # In a process group of its own, a program would not receive Ctrl-C.
  if [ -t 0 ]; then group=(--foreground); fi
  # macOS lacks timeout without GNU's coreutils.
  if command -v timeout >/dev/null; then timeout "${group[@]}" --kill-after=10 "$@"; else "${@:2}"; fi
}

# in_rust COMMAND...: runs it in the Cargo workspace, where cargo finds the crate source that scripts/bootstrap chose.
in_rust() { (cd "$root/rust" && "$@"); }

# cargo_counts STATUS LOG: the numbers of passed and failed tests in the closing lines of `cargo test`.
cargo_counts() {
  local status=$1 log=$2 good bad
  good=$(sed -n 's/^test result: .* \([0-9]*\) passed; .*/\1/p' "$log" | awk '{n += $1} END {print n + 0}')
  bad=$(sed -n 's/^test result: .* passed; \([0-9]*\) failed; .*/\1/p' "$log" | awk '{n += $1} END {print n + 0}')
  # A build that fails or a process that dies prints no closing line.
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$good" -eq 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  printf '%s %s\n' "$good" "$bad"
}

# install_packages PACKAGE...: installs the missing ones of these Debian packages.
install_packages() {
  local package missing=() sudo=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) == *'ok installed'* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    need sudo "packages are missing: ${missing[*]}. Install them, or sudo."
    sudo=(sudo)
  fi
  say "installing: ${missing[*]}"
  quietly "apt-get update" "${sudo[@]}" apt-get update
  quietly "apt-get install" "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# python_with NAME PACKAGE...: fetches these packages of PyPI into rust/target/NAME, once for each list of them; prints the
# interpreter that has them.
python_with() {
  local venv=$root/rust/target/$1
  shift
  if [ "$(cat "$venv/complete" 2>/dev/null || true)" != "$*" ]; then
    need python3 "install Python 3 with its venv module"
    quietly "python3 -m venv" python3 -m venv "$venv"
    quietly "pip install" "$venv/bin/pip" install --quiet "$@"
    printf '%s\n' "$*" >"$venv/complete"
  fi
  printf '%s\n' "$venv/bin/python"
}

# studio_python: the interpreter with what uses the studio in a browser.
studio_python() { python_with studio playwright==1.65.2 axe-playwright-python==0.1.8 pytest==9.2.0 pytest-xdist==3.8.0 pytest-timeout==2.4.0 websockets==17.4 schemathesis==4.32.5 aiosmtpd==1.4.6 prometheus-client==0.26.0; }

# nodes_python: the interpreter with what the nodes behind a fake bluetoothd need: a client of D-Bus, and a host and controller of Bluetooth.
nodes_python() { python_with nodes dbus-fast==5.2.0 bumble==0.0.236; }

# dask_python: the interpreter with what rustle-batch (Sources/Dask) and its tests need.
dask_python() { python_with dask distributed==2026.8.0 pyarrow==26.0.1 pytest==9.2.0 mypy==2.4.1; }

# release_build OPTION...: `swift build` for release; on Linux with Swift's library inside, and without the libraries that nothing but
# Sources/CLoaded calls.
release_build() {
  local options=(--configuration release "$@")
  if [ "$(uname -s)" = Linux ]; then
    # clang needs --as-needed before the libraries, and Swift's driver puts a package's options and -Xlinker's behind them. With Swift's
    # library inside it exports all symbols, which keeps what nothing uses and takes time at each start.
    CCC_OVERRIDE_OPTIONS='#^-Wl,--as-needed +-Wl,--no-export-dynamic' swift build --static-swift-stdlib "${options[@]}"
  else
    swift build "${options[@]}"
  fi
}

# bench_program NAME: builds RustleBench, RustleCrossings or rustle for release; prints the program's path.
bench_program() {
  quietly "swift build" swift build --package-path "$root" --scratch-path "$root/.build-bench" \
    --configuration release --product "$1"
  printf '%s\n' "$root/.build-bench/release/$1"
}

# archive FLAGS: the archive built with the same sanitizer.
archive() {
  case $1 in
    *=address*) echo "$root"/rust/dist-address/RustleNative.artifactbundle/*/librustle.a ;;
    *) echo "$root"/rust/dist/RustleNative.artifactbundle/*/librustle.a ;;
  esac
}

# c_program COMPILER FLAGS SOURCE OUT [ARCHIVE]: builds one of the C callers.
c_program() {
  local compiler=$1 flags=$2 source=$3 out=$4 archive=${5:-}
  [ -n "$archive" ] || archive=$(archive "$flags")
  # shellcheck disable=SC2086 # the flags are words
  "$compiler" -std=c11 -Wall -Wextra -Werror -g -O1 -D_POSIX_C_SOURCE=200809L $flags -I "$root/rust/ffi/include" \
    "$source" "$archive" -lpthread -ldl -lm -o "$out"
}

# count_instructions PROGRAM: builds the C benchmark as PROGRAM, prints the instructions of each crossing, and fails when one
# exceeds its limit in Tests/Thresholds.
count_instructions() {
  local program
  c_program clang "" "$root/rust/ffi/tests/c/cost/boundary.c" "$1" &&
    program=$(bench_program RustleCrossings) &&
    python3 "$root/scripts/instructions.py" "$root/Tests/Thresholds/boundary.txt" "c=$1" "swift=$program"
}

# tracked PATTERN...: the files that git tracks, or would, and that exist.
tracked() {
  (cd "$root" && git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
    if [ -e "$file" ]; then printf '%s\n' "$file"; fi
  done)
}
