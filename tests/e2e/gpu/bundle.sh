#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gathers what run.sh needs on a machine with a GPU and nothing to install: bundle.sh BUILD [BUNDLE]. The trainer must have been
# built by nvcc. Carries the shared libraries of `ringside` and the trainer except the C library's and the vendor's. Fails above
# 64 MiB, which is what some machines take.
set -euo pipefail
# Without it, ldd would follow the emulated libraries to what only they need.
unset LD_LIBRARY_PATH
build=$(cd "${1:?usage: bundle.sh BUILD [BUNDLE]}" && pwd)
bundle=${2:-$build/../gpu_bundle}
limit_mib=64
sections=$(readelf -SW "$build/bin/ddp_trainer")
if [[ $sections != *.nv_fatbin* ]]; then
    echo "bundle.sh: $build/bin/ddp_trainer holds no GPU code; build it where nvcc is found (RINGSIDE_CUDA=ON)" >&2
    exit 1
fi
rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib/carried"

cp "$build/bin/ringside" "$build/bin/ddp_trainer" "$bundle/bin/"
cp "$build/lib/libringside_collector.so" "$bundle/lib/"
ldd "$build/bin/ringside" "$build/bin/ddp_trainer" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
    grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so|/lib(cuda|cublas|cupti|nccl)' |
    xargs -r cp -Lt "$bundle/lib/carried"
strip --strip-debug "$bundle/bin/"* "$bundle/lib/"*.so "$bundle/lib/carried/"*

# Tables of languages, 30 MiB. libxml2 asks for them in files of old encodings, which nothing here reads.
for library in "$bundle"/lib/carried/libicudata.so.*; do
    [ -e "$library" ] || continue
    version=${library##*.so.}
    echo "const char icudt${version}_dat[16] = {0};" |
        "${CC:-cc}" -shared -fPIC -x c - -Wl,-soname,"${library##*/}" -o "$library"
done

mib=$(du -sm "$bundle" | cut -f1)
if [ "$mib" -gt "$limit_mib" ]; then
    du -a "$bundle" | sort -rn | head >&2
    echo "bundle.sh: $bundle takes $mib MiB, at most $limit_mib may be: leave out what is large in it" >&2
    exit 1
fi
echo "$mib MiB in $bundle"
