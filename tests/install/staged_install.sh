#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a stage and uses it from there: staged_install.sh BUILD. The program must find the collector by its
# own place, not by the build's, so the stage is moved before it is used.
set -euo pipefail
build=$(cd "${1:?usage: staged_install.sh BUILD}" && pwd)
stage=$build/install_test
rm -rf "$stage" "$stage.moved"

fail() { echo "staged install: $1" >&2; exit 1; }

cmake --install "$build" --prefix "$stage" >/dev/null
mv "$stage" "$stage.moved"
stage=$stage.moved
ringside=$stage/bin/ringside
collector=$(find "$stage" -name libringside_collector.so)
extension=$(find "$stage" -name ringside_sqlite.so)
[ -x "$ringside" ] || fail "bin/ringside is missing"
[ -f "$collector" ] || fail "libringside_collector.so is missing"
[ -f "$extension" ] || fail "ringside_sqlite.so is missing"
for document in man/man1/ringside.1.gz man/man1/ringside-record.1.gz bash-completion/completions/ringside zsh/site-functions/_ringside zsh/vendor-completions/_ringside doc/ringside/copyright doc/ringside/changelog.gz \
    fish/vendor_completions.d/ringside.fish; do
    [ -f "$stage/share/$document" ] || fail "share/$document is missing"
done

[[ $("$ringside" --version) =~ [0-9]+\.[0-9]+\.[0-9]+ ]] || fail "--version prints no version"
# Read whole before it is searched: grep -q ends at the first match, and the writer would die of the closed pipe.
rules=$("$ringside" rules)
[[ $rules == *late_rank* ]] || fail "the list of rules is incomplete"

# The recorded command sees which collector was preloaded into it.
preloaded=$("$ringside" record -o "$stage/run.ringside" -- sh -c 'echo "$LD_PRELOAD"')
case ":$preloaded:" in
    *":$(realpath "$collector"):"*) ;;
    *) fail "record preloads '$preloaded', not the installed $collector" ;;
esac
sqlite3 :memory: ".load $extension" || fail "sqlite3 cannot load the extension"

# Injected into strangers' processes: nothing but the C library may be needed.
needed=$(objdump -p "$collector" | awk '$1 == "NEEDED" {print $2}' | grep -Ev '^(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so' || true)
[ -z "$needed" ] || fail "the collector needs $needed"
if readelf -d "$ringside" "$collector" "$extension" | grep -E 'R(UN)?PATH' | grep -F "$build"; then
    fail "an installed file looks for libraries in the build directory"
fi
echo "the staged install works"
