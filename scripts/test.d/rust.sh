# shellcheck shell=bash disable=SC2154
# The Rust tests and the callers in C. Sourced by scripts/test, whose $root, $work and $long they use.

# cargo_tests LABEL ARGUMENT...: cargo's closing lines, added up.
cargo_tests() {
  local label=$1 log="$work/cargo-$BASHPID.log" start=$SECONDS status=0 good bad
  shift
  begins "$label"
  in_rust within "$runner_limit" cargo test "$@" >"$log" 2>&1 || status=$?
  read -r good bad < <(cargo_counts "$status" "$log")
  result "$label" "$good" "$bad" "$log" $((SECONDS - start))
}

# rust_selection: the tests selected by name. Of a crate only the target with the test is built.
rust_selection() {
  local package target name names arguments
  while read -r package; do cargo_tests "Rust: $package" --package "$package"; done < <(sed -nE 's/^rust (\S+)$/\1/p' "$work/selection" | sort -u)
  while read -r package target; do
    mapfile -t names < <(sed -nE "s/^rust $package $target (\S+)$/\1/p" "$work/selection")
    arguments=(--package "$package" --test "${target#faults:}")
    if [ "${target#faults:}" = lib ]; then arguments=(--package "$package" --lib); fi
    if [[ $target == faults:* ]]; then arguments+=(--features faults); fi
    cargo_tests "Rust: $package, $target" "${arguments[@]}" -- "${names[@]}"
  done < <(sed -nE 's/^rust (\S+ \S+) \S+$/\1/p' "$work/selection" | sort -u)
}

# test_programs MESSAGES: size, package's folder and path of each test program in the messages of cargo.
test_programs() {
  sed -nE 's|.*"manifest_path":"([^"]*)/Cargo.toml".*"profile":\{[^}]*"test":true\}.*"executable":"([^"]+)".*|\1 \2|p' "$1" |
    while read -r folder program; do echo "$(wc -c <"$program") $folder $program"; done
}

# workspace_tests LABEL ARGUMENT...: every test of the workspace. Cargo runs one test program after another; here as many run at
# once as there are processors, the largest first: those of the boundary, which take longest.
workspace_tests() {
  local label=$1 log="$work/cargo-$BASHPID.log" start=$SECONDS status=0 good bad
  shift
  begins "$label"
  if in_rust within "$runner_limit" cargo test --workspace --no-run --message-format=json-render-diagnostics "$@" >"$log.json" 2>"$log"; then
    printf '%(%H:%M:%S)T  %-48s built %23d s\n' -1 "$label" $((SECONDS - start))
    mkdir "$log.d"
    # The folder of the package, where cargo runs the program too, and the program.
    while read -r _ folder program; do
      a_processor
      (cd "$folder" && within "$runner_limit" "$program" || echo "error: status $? of $program") >"$log.d/$(basename "$program")" 2>&1 &
    done < <(test_programs "$log.json" | sort -rn)
    wait
    # Fails where no program was found.
    cat "$log.d"/* >>"$log" || echo "error: status 1: no test program in cargo's messages" >>"$log"
    ! grep -q '^error: status' "$log" || status=1
    in_rust within "$runner_limit" cargo test --workspace --doc "$@" >>"$log" 2>&1 || status=$?
  else
    status=$?
  fi
  read -r good bad < <(cargo_counts "$status" "$log")
  result "$label" "$good" "$bad" "$log" $((SECONDS - start))
}

# rust: every test. The seeded faults are compiled in, at rest but in the tests that set one, so that the workspace is compiled once;
# the archives that C and Swift call have none. With --long also without them.
rust() {
  RUSTLE_ROUNDS=$($long && echo 9 || echo 1) workspace_tests "Rust" --features rustle-ffi/faults
  if $long; then workspace_tests "Rust, without the seeded faults"; fi
}

# c_callers: each with two compilers, under AddressSanitizer and under valgrind.
c_callers() {
  local source name compiler
  for source in "$root"/rust/ffi/tests/c/*.c; do
    name=$(basename "$source" .c)
    for compiler in clang gcc; do
      command -v "$compiler" >/dev/null || continue
      beside "C: $name, $compiler" run_built "$compiler" "" "" "$source"
    done
    beside "C: $name, AddressSanitizer" run_built clang "-fsanitize=address -fuse-ld=lld" "" "$source"
    if command -v valgrind >/dev/null; then
      beside "C: $name, valgrind" run_built clang "" "valgrind --quiet --fair-sched=yes --error-exitcode=9 --leak-check=full \
        --show-leak-kinds=definite --errors-for-leak-kinds=definite" "$source"
    fi
  done
}

# run_built COMPILER FLAGS WRAPPER SOURCE: builds one of the C callers and runs it, within a wrapper unless that is empty.
run_built() {
  local program="$work/program-$BASHPID" wrapper=$3
  c_program "$1" "$2" "$4" "$program" || return
  # shellcheck disable=SC2086 # the wrapper is words
  within 600 $wrapper "$program"
}

# is_reported NAME TEXT: a program with a planted error passes its own checks and is ended by the sanitizer, by status 23
# and with a report that has TEXT in it.
is_reported() {
  c_program clang "-fsanitize=address -fuse-ld=lld" "$root/rust/ffi/tests/c/planted/$1.c" "$work/planted-$1" || return 1
  local status=0 report
  report=$(ASAN_OPTIONS=detect_leaks=1:exitcode=23 LSAN_OPTIONS=exitcode=23 within 60 "$work/planted-$1" 2>&1) || status=$?
  printf '%s\n' "$report"
  [ "$status" -eq 23 ] || { echo "expected status 23 from the sanitizer, got $status"; return 1; }
  grep -qF -- "$2" <<<"$report" || { echo "expected a report that says: $2"; return 1; }
}

# instructions_are_bounded: the cost of crossing the boundary, in instructions, in a release build.
instructions_are_bounded() { count_instructions "$work/cost"; }

# rise_is_noticed: the same with a bound that no call can keep.
rise_is_noticed() {
  echo 'c/call 0 0 no call is free' >"$work/thresholds"
  ! python3 "$root/scripts/instructions.py" "$work/thresholds" "c=$work/cost" &&
    echo 'c/call 1000 0 no call costs as much' >"$work/thresholds" &&
    python3 "$root/scripts/instructions.py" "$work/thresholds" "c=$work/cost"
}

# installed_example: what scripts/install gives to C builds by pkg-config's flags, and contains the called engine alone.
installed_example() {
  local prefix="$work/prefix" flags size
  "$root/scripts/install" --c --prefix "$prefix" || return
  flags=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs rustle) || return
  # shellcheck disable=SC2086 # the flags are words
  cc -O1 "$prefix/share/doc/rustle/examples/tone.c" $flags -o "$work/tone" || return
  [ "$("$work/tone")" = "445.3 Hz" ] || { echo "expected the bin of 440 Hz, 445.3 Hz, got $("$work/tone")"; return 1; }
  size=$(wc -c <"$work/tone")
  [ "$size" -le 1000000 ] || { echo "expected a program of 1 MB or less, got $size bytes"; return 1; }
}

# c: the longest first.
c() {
  each_fuzzed beside
  if command -v valgrind >/dev/null; then beside "instructions of a crossing are bounded" instructions_are_bounded; fi
  c_callers
  beside "C: an example, from the installed library" installed_example
  beside "C: a planted leak is reported" is_reported leak "LeakSanitizer: detected memory leaks"
  beside "C: a store past the end, in Rust, is reported" is_reported overrun "rustle_dsp::spectrum::"
  beside "C: realtime-safe functions, RealtimeSanitizer" "$root/scripts/realtime-test"
  gather
  if command -v valgrind >/dev/null; then one "a rise of the instructions is noticed" rise_is_noticed; fi
}

fuzz() { each_fuzzed one; }
# each_fuzzed RUN: runs every target of scripts/fuzz, by `one` or `beside`.
each_fuzzed() {
  local target
  for target in calls packets fixtures shows recordings messages sessions bus; do "$1" "fuzzed $target, AddressSanitizer" fuzzed "$target"; done
}
fuzzed() { "$root/scripts/fuzz" --target="$1" "$($long && echo --inputs=1000000 || echo 15)"; }

# arm64: what scripts/arm64 counts.
arm64() { counted "Rust and C callers on an emulated arm64" "$root/scripts/arm64"; }
