#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gathers what run.sh needs on a machine with a GPU and nothing to install: pack.sh BUILD [FOLDER]; default: build/gpu_bundle. Carries
# `ringside` and the collector of the portable build where packaging/build.sh has made one, brought up to date, else of BUILD; the
# trainer where nvcc built it; and shared libraries except the C library's and the vendor's. Fails above 64 MiB, which is what some
# machines take.
set -euo pipefail
# Without it, ldd would follow the emulated libraries to what only they need.
unset LD_LIBRARY_PATH
build=$(cd "${1:?usage: pack.sh BUILD [FOLDER]}" && pwd)
root=$(cd "$(dirname "$0")/../../.." && pwd)
pack=${2:-$root/build/gpu_bundle}
portable=$root/build/portable/build
limit_mib=64
rm -rf "$pack"
mkdir -p "$pack/bin" "$pack/lib/carried"

tools=$build
if [ -e "$portable/build.ninja" ]; then
    cmake --build "$portable" --target ringside ringside_collector >"$portable/pack.log" ||
        { tail -20 "$portable/pack.log" >&2; exit 1; }
    tools=$portable
fi
cp "$tools/bin/ringside" "$pack/bin/"
cp "$tools/lib/libringside_collector.so" "$pack/lib/"
sections=$(readelf -SW "$build/bin/ddp_trainer")
if [[ $sections == *.nv_fatbin* ]]; then
    cp "$build/bin/ddp_trainer" "$pack/bin/"
else
    echo "no trainer is carried: $build/bin/ddp_trainer holds no GPU code; build it where nvcc is found (RINGSIDE_CUDA=ON)"
fi
ldd "$pack/bin/"* | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
    grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so|/lib(cuda|cublas|cupti|nccl)' |
    xargs -r cp -Lt "$pack/lib/carried"
find "$pack" -type f -exec strip --strip-debug {} +

# Tables of languages, 30 MiB. libxml2 asks for them in files of old encodings, which nothing here reads.
for library in "$pack"/lib/carried/libicudata.so.*; do
    [ -e "$library" ] || continue
    version=${library##*.so.}
    echo "const char icudt${version}_dat[16] = {0};" |
        "${CC:-cc}" -shared -fPIC -x c - -Wl,-soname,"${library##*/}" -o "$library"
done

mib=$(du -sm "$pack" | cut -f1)
if [ "$mib" -gt "$limit_mib" ]; then
    du -a "$pack" | sort -rn | head >&2
    echo "pack.sh: $pack takes $mib MiB, at most $limit_mib may be: leave out what is large in it" >&2
    exit 1
fi
newest=$(find "$pack" -type f -exec objdump -T {} + | sed -nE 's/.*\(?GLIBC_([0-9.]+)\)? .*/\1/p' | sort -uV | tail -1)
if [ "$tools" = "$build" ]; then
    echo "the collector is this machine's, not the portable one: there is no build of packaging/build.sh in build/portable"
fi
echo "$mib MiB in $pack; the C library there must be glibc $newest or newer"
