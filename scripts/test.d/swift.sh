# shellcheck shell=bash disable=SC2154
# The Swift tests, as they are and under the sanitizers. Sourced by scripts/test, whose $root, $work and $long they use.

# The build of the tests without a sanitizer, and its modules and command, which snippets, pages and the tests with a sound server and
# with DMX peers use. A whole run makes no such build: see `of_whole_run`.
swift_folder="$root/.build-tests"
swift_modules="$swift_folder/debug"
swift_command="$swift_modules/rustle"
# The command with the traits WebSocket and NATS: in a whole run that of AddressSanitizer.
network_command="$swift_command"

# of_whole_run: uses what a whole run has made when it comes to snippets, pages, sound, nodes and peers.
of_whole_run() {
  swift_modules="$root/.build-address/release"
  swift_command="$root/Tests/ConsumerTests/.build/debug/rustle"
  network_command="$root/.build-address/release/rustle"
}

# The suites, as MODULE.SUITE, that swift_tests leaves to runs of their own.
apart=()

# swift_tests LABEL PACKAGE ARGUMENT...: builds the tests, and runs those of each module in a process of its own, or two, as many
# at once as there are processors: within one process a test that uses native objects has no other such test beside it. With a
# selection by name, only these run.
swift_tests() {
  local label=$1 package=$2 log="$work/swift-$BASHPID.log" modules="$work/modules-$BASHPID" start=$SECONDS count module half suite suites good bad tests
  shift 2
  begins "$label"
  # There is no XCTest in this package; its runner would only be one more process, with leaks of its own.
  local options=(--package-path "$package" --disable-xctest "$@")
  rm -rf "$modules"
  mkdir "$modules"
  if swift build --build-tests "${options[@]}" >"$log" 2>&1 && list_tests "$modules/list" "${options[@]}" 2>>"$log"; then
    printf '%(%H:%M:%S)T  %-48s built %23d s\n' -1 "$label" $((SECONDS - start))
    for suite in "${apart[@]}"; do tests+=(--skip "^${suite/./\\.}/"); done
    # The module with the most tests first.
    while read -r count module; do
      if ! is_selected "$module"; then continue; fi
      if [ "$count" -le 200 ] || [ -f "$work/selection" ]; then
        a_processor
        module_tests "$label: $module" "$(of_module "$module")" "$modules/$module" "${tests[@]}" &
        continue
      fi
      # Every other suite of a large module.
      for half in 0 1; do
        suites=$(sed -n "s/^$module\.\([A-Za-z0-9_]*\).*/\1/p" "$modules/list" | sort -u | awk -v half=$half 'NR % 2 == half' | paste -sd '|')
        a_processor
        module_tests "$label: $module, half" "^$module\.($suites)[/(]" "$modules/$module-$half" "${tests[@]}" &
      done
    done < <(sed -n 's/^\([A-Za-z0-9_]*\)\..*/\1/p' "$modules/list" | sort | uniq -c | sort -rn)
    wait
    cat "$modules"/*.log >>"$log" 2>/dev/null || true
  fi
  read -r good bad < <(cat "$modules"/*.counts 2>/dev/null | awk '{good += $1; bad += $2} END {print good + 0, bad + 0}')
  # A failed build reports no module.
  if [ "$good" -eq 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  result "$label" "$good" "$bad" "$log" $((SECONDS - start))
}

# list_tests FILE OPTION...: writes the names of the built tests to FILE, and sets `tests` to the command that runs them. On Linux that is
# the program which `swift test` calls: each `swift test` plans the whole build once more, and two at once lock each other out of the
# build's database.
list_tests() {
  local file=$1
  shift
  tests=(swift test --skip-build --ignore-lock "$@")
  if [ "$(uname -s)" != Linux ]; then
    swift test list --skip-build "$@" >"$file"
    return
  fi
  tests=("$(swift build --show-bin-path "$@")"/*PackageTests.xctest --testing-library swift-testing)
  "${tests[@]}" --list-tests >"$file"
}

# is_selected MODULE: whether there is no selection by name, or one of this module.
is_selected() { [ ! -f "$work/selection" ] || grep -qE "^swift $1( |$)" "$work/selection"; }

# of_module MODULE: the filter of its tests, or of the selected ones.
of_module() {
  local names=
  if [ -f "$work/selection" ] && ! grep -qx "swift $1" "$work/selection"; then
    names=$(sed -n "s/^swift $1 //p" "$work/selection" | paste -sd '|')
    printf '^%s\\.(.*/)?(%s)(\\(|/|$)' "$1" "$names"
  else
    printf '^%s\\.' "$1"
  fi
}

# module_tests LABEL FILTER FILE COMMAND...: writes FILE.log, and to FILE.counts how many passed and failed by the run's own
# report.
module_tests() {
  local label=$1 filter=$2 file=$3 status=0 good=0 bad=0 start=$SECONDS
  shift 3
  within "$runner_limit" "$@" --filter "$filter" --xunit-output "$file.xml" >"$file.log" 2>&1 || status=$?
  if [ "$status" -eq 124 ]; then
    echo "error: $label was ended after $runner_limit s within: $(unfinished_tests "$file.log" | paste -sd ' ')" >>"$file.log"
  fi
  # A run that crashes leaves no report, or an incomplete one.
  read -r good bad < <(python3 "$root/scripts/xunit-counts.py" "$file"*.xml 2>/dev/null || echo 0 0)
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$good" -eq 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  ends "$label" "$good" "$bad" $((SECONDS - start))
  echo "$good $bad" >"$file.counts"
}

# unfinished_tests LOG: the names of the tests that have started and not ended.
unfinished_tests() {
  grep -vxFf <(sed -nE 's/^[^ ]+ Test ([^ ]+\)) (with [0-9]+ test cases? )?(passed|failed) after .*/\1/p' "$1") \
    <(sed -nE 's/^◇ Test ([^ ]+\)) started\.$/\1/p' "$1") || true
}

# swift_build: what the snippets, the sound server's test, the nodes, the DMX peers and Dask use, when the tests themselves do not run.
swift_build() {
  swift build --build-tests --package-path "$root" --disable-xctest --traits WebSocket,NATS --scratch-path "$swift_folder"
}

swift_as_it_is() { swift_tests "Swift" "$root" --traits WebSocket,NATS --scratch-path "$swift_folder"; }

# Under a sanitizer a test that repeats does a tenth, the races excepted; all with --long.
repetitions() { if $long; then echo 1; else echo 0.1; fi; }

# sanitized NAME ARGUMENT...: the Swift tests under a sanitizer. Neither Swift nor C is optimised, and assertions stay; but modules are
# compiled whole, and without DEBUG, with which swift-argument-parser validates each option group dozens of times for every call.
sanitized() {
  local name=$1
  shift
  swift_tests "Swift, ${name^}Sanitizer" "$root" --sanitize="$name" --scratch-path "$root/.build-$name" \
    --configuration release --disable-dead-strip -Xswiftc -Onone -Xswiftc -enable-testing -Xswiftc -gline-tables-only \
    -Xcc -O0 -Xcc -g1 "$@"
}

# Under ThreadSanitizer the tests run with the archive that can be made to fail: it is what the panicking sessions need. Files,
# plots and the command line, which add no tasks of their own to an engine's, are not even built unless --long is given. By
# default, each process that the sanitizer instruments sleeps for a second before it exits.
thread() {
  export RUSTLE_NATIVE_DIST=rust/dist-faults
  export TSAN_OPTIONS=halt_on_error=1:atexit_sleep_ms=0
  $long || export RUSTLE_WITHOUT_COMMAND=1
  # Without the network, whose library would be compiled once more, but with --long.
  local traits=()
  if $long; then traits=(--traits "WebSocket,NATS"); fi
  RUSTLE_RACES=$($long && echo 500000 || echo 20000) RUSTLE_REPETITIONS=$(repetitions) sanitized thread "${traits[@]}"
  unset RUSTLE_NATIVE_DIST RUSTLE_WITHOUT_COMMAND TSAN_OPTIONS
}

# races_with_faults: what `thread` has built notices each seeded fault.
races_with_faults() {
  local fault
  export TSAN_OPTIONS=halt_on_error=1:atexit_sleep_ms=0
  for fault in lost-release lock-held none release-by-canceller double-release event-after-release worker-panic; do
    RUSTLE_RACES=2500 RUSTLE_FAULT=$fault beside "the races with the fault: $fault" is_caught
    # These two hang: the others run while they do.
    case $fault in lost-release | lock-held) waiting=$((waiting + 1)) ;; esac
  done
  gather
}

# is_caught: the race tests notice the fault within 500 rounds of each of five modes: an expectation fails or ThreadSanitizer
# reports. A session whose release is lost, or waits for a lock, is waited for: with these two a run that has begun and does not
# end counts as well. With an event after the release, whose context is freed memory, the run may die before anybody can report.
# The test program is called as `swift test` calls it, so that the time limit ends the program itself; the
# same call without a fault has to pass.
is_caught() {
  local status=0 limit=120 log="$work/caught-$RUSTLE_FAULT.log"
  case $RUSTLE_FAULT in lost-release | lock-held) limit=20 ;; esac
  within "$limit" "$root/.build-thread/release/rustlePackageTests.xctest" --testing-library swift-testing --filter RaceTests \
    >"$log" 2>&1 || status=$?
  cat "$log"
  if [ "$RUSTLE_FAULT" = none ]; then return "$status"; fi
  [ "$status" -ne 0 ] || { echo "expected the races to notice the fault, got a pass"; return 1; }
  case $RUSTLE_FAULT:$status in
    lost-release:124 | lock-held:124) grep -q 'started' "$log" || { echo "expected a run that had begun"; return 1; } ;;
    event-after-release:139) ;;
    *) grep -qE 'Expectation failed|ThreadSanitizer: ' "$log" ||
      { echo "expected a failed expectation or a report, got status $status"; return 1; } ;;
  esac
}

# Here the native side is instrumented as well. Without --long, the restarts and the killed writers run only in full, in runs of
# their own, since no other run repeats them in full; in them ConservationTests would depend on a machine that is never a second
# late. They go on beside the next step: scripts/test gathers them after it.
address() {
  export RUSTLE_NATIVE_DIST=rust/dist-address ASAN_OPTIONS=detect_leaks=1
  export LSAN_OPTIONS="suppressions=$root/scripts/leaks.txt:print_suppressions=0"
  local suite
  if ! $long && [ ! -f "$work/selection" ]; then apart=(ConformanceTests.RestartTests RustleAudioFilesTests.KilledWriterTests); fi
  RUSTLE_REPETITIONS=$(repetitions) sanitized address --traits WebSocket,NATS
  for suite in "${apart[@]}"; do
    RUSTLE_REPETITIONS=1 beside "Swift, AddressSanitizer: all of ${suite#*.}" within "$runner_limit" \
      "$root/.build-address/release/rustlePackageTests.xctest" --testing-library swift-testing --filter "^${suite/./\\.}/"
  done
  apart=()
  unset RUSTLE_NATIVE_DIST ASAN_OPTIONS LSAN_OPTIONS
}

# consumer: a package that depends on this one, and the command as such a package builds it: without WebSockets, and with the assertions of
# swift-argument-parser about every option, which `pages` reaches by the manual. In a shell of its own, which waits for its own runs
# only: those of `address` go on beside it.
consumer() (
  swift_tests "a consumer package" "$root/Tests/ConsumerTests"
  one "the command without WebSockets and NATS" without_network
)

# optimized_command: as its users build it, of the modules that were optimized to count the instructions of a crossing. The tests'
# builds do not show a crash of the optimizer.
optimized_command() {
  local program
  program=$(bench_program rustle) || return
  "$program" --version
}

without_network() {
  local status=0 text
  swift build --package-path "$root/Tests/ConsumerTests" --product rustle || return
  text=$("$root/Tests/ConsumerTests/.build/debug/rustle" ticker --connect ws://127.0.0.1:9 2>&1) || status=$?
  printf '%s\n' "$text"
  [ "$status" -eq 64 ] || { echo "expected status 64, got $status"; return 1; }
  grep -qF "built without WebSockets" <<<"$text" || { echo "expected a text that says why"; return 1; }
  status=0
  text=$("$root/Tests/ConsumerTests/.build/debug/rustle" ticker A --publish nats://127.0.0.1:9/a 2>&1) || status=$?
  printf '%s\n' "$text"
  [ "$status" -eq 64 ] || { echo "expected status 64, got $status"; return 1; }
  grep -qF "built without NATS" <<<"$text" || { echo "expected a text that says why"; return 1; }
}

# snippets: what must not compile, against the modules that the Swift tests have just been built with.
snippets() {
  local log="$work/snippets.log" start=$SECONDS good bad label="snippets that must not compile"
  begins "$label"
  python3 "$root/scripts/compile-fail.py" "$root" "$swift_modules" >"$log" 2>&1 || true
  # A run that crashes has no such line.
  read -r good bad < <(grep -E '^[0-9]+ [0-9]+$' "$log" | tail -n 1) || true
  result "$label" "${good:-0}" "${bad:-1}" "$log" $((SECONDS - start))
}

# pages: the examples of pages and doc comments compile, the console blocks of README and tutorial have their outputs, and cli.md equals
# the built command's help.
pages() {
  local log="$work/pages.log" start=$SECONDS good bad label="examples of pages and doc comments"
  begins "$label"
  python3 "$root/scripts/examples.py" "$root" "$swift_modules" >"$log" 2>&1 || true
  read -r good bad < <(grep -E '^[0-9]+ [0-9]+$' "$log" | tail -n 1) || true
  result "$label" "${good:-0}" "${bad:-1}" "$log" $((SECONDS - start))
  one "an example that does not compile is reported" broken_example
  one "so is one in a doc comment" broken_comment
  one "so is a console block with another output" broken_console
  one "the command's manual" python3 "$root/scripts/manual.py" "$swift_command" --check "$root/docs/cli.md"
}

broken_example() {
  cat >"$work/broken.md" <<'PAGE'
```swift
let count: Int = "many"
```
PAGE
  if python3 "$root/scripts/examples.py" "$root" "$swift_modules" "$work/broken.md" >"$work/broken.log"; then return 1; fi
  grep -q "broken.md:2:.*cannot convert value of type 'String'" "$work/broken.log"
}

broken_comment() {
  mkdir -p "$work/Sources/Rustle"
  cat >"$work/Sources/Rustle/Broken.swift" <<'CODE'
/// A number.
///
/// ```swift
/// let count: Int = "many"
/// ```
public let number = 1
CODE
  if python3 "$root/scripts/examples.py" "$root" "$swift_modules" "$work/Sources/Rustle/Broken.swift" >"$work/broken.log"; then
    return 1
  fi
  grep -q "Broken.swift:4:.*cannot convert value of type 'String'" "$work/broken.log"
}

broken_console() {
  cat >"$work/console.md" <<'PAGE'
```console
$ rustle --version | cut -d ' ' -f 1
rustle
$ rustle eq --export text --preamp -3
Preamp: -4.0 dB
```
PAGE
  if python3 "$root/scripts/examples.py" "$root" "$swift_modules" "$work/console.md" >"$work/console.log"; then return 1; fi
  grep -q "console.md:4: rustle eq" "$work/console.log" && grep -qx "Preamp: -3 dB" "$work/console.log" &&
    grep -qx "1 1" "$work/console.log"
}

sound() { one "sound through a server, in its own time" "$root/scripts/sound-test" "$swift_command"; }

# nodes: what scripts/nodes-test counts, with --long many combinations of faults and on x86-64 a real bluetoothd; and from such a node to
# lamps that are lit.
nodes() {
  counted "nodes behind a fake bluetoothd" "$root/scripts/nodes-test" "$swift_command" "$($long && echo 2000 || echo 40)"
  one "from a node to a lit fixture" "$root/scripts/fixtures-demo" "$swift_command"
  if $long && [ "$(uname -sm)" = "Linux x86_64" ]; then counted "a node behind a real bluetoothd" "$root/scripts/bluez-test" "$swift_command"; fi
}

# universes: what scripts/universes-test counts.
universes() { counted "universes over nodes" "$root/scripts/universes-test" "$swift_command"; }

# studio: its package has a build of its own. Of leaks the Swift tests see; here the command is ended by signals.
studio() {
  swift_tests "the studio" "$root/Sources/Studio" --scratch-path "$root/.build-studio"
  RUSTLE_SOAK_SECONDS=$($long && echo 3600 || echo 20) RUSTLE=$network_command ASAN_OPTIONS=detect_leaks=0 \
    counted "the studio in a browser" "$root/scripts/studio-test" "$root/.build-studio/debug/rustle-studio"
}

# nats: what scripts/nats-test counts, with --long a leader that is killed ten times, and the leases. A whole run uses the build of the
# Swift tests, which has the trait NATS.
nats() {
  counted "prices over NATS" "$root/scripts/nats-test" "$swift_folder/debug/rustle" "$($long && echo 10 || echo 2)"
  if [ "$(uname -s)" = Linux ]; then counted "leases of universes" "$root/scripts/universes-test" --leases "$swift_folder/debug/rustle"; fi
}

# peers: what scripts/peers-test counts.
peers() { counted "DMX with real peers" "$root/scripts/peers-test" "$swift_command"; }

# dask: what scripts/dask-test counts, with --long a thousand files.
dask() {
  if $long; then export RUSTLE_LONG=1; fi
  counted "batches over Dask" "$root/scripts/dask-test" "$swift_command"
}

# scripts_tests: starts the tests that build packages of their own, concurrently; `gather` counts them.
scripts_tests() {
  beside "packages that depend by version and by path" "$root/scripts/packaging-test"
  beside "lint notices what it should" "$root/scripts/lint-selftest"
}
