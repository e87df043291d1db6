#!/usr/bin/env bash
# tests/two_builds.sh [SYSTEM|all]: build twice and compare every byte; the default is this system.
#
# `make wheels page` makes library, WebAssembly, wheel, sdist and page in two copies of the last commit, which differ in
# folder, home, cache, time zone, umask, order of hashes and number of cores. This takes minutes for one system, an hour
# for all. If files differ, it lists them and keeps both copies.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-$PWD/.venv/bin/python}
system=${1:-$("$python" -c "from casino_env.aot.build import here; print(here())")}
place=$(mktemp -d)

build() { # FOLDER HOME TZ UMASK HASHES CORES
    mkdir -p "$place/$1" "$place/$2"
    (
        umask "$4"
        git archive HEAD | tar -x -C "$place/$1"
        cd "$place/$1"
        export HOME="$place/$2" TZ="$3" PYTHONHASHSEED="$5" PYTHONPATH="$PWD" SOURCE_DATE_EPOCH="$epoch"
        unset CASINO_ENV_CACHE XDG_CACHE_HOME
        touch .installed # everything needed is beside $python
        taskset -c "$6" make -s BIN="$(dirname "$python")" STAMP=.installed SYSTEM="$system" wheels page
        find build dist packages/casino/dist -type f -print0 | sort -z | xargs -0 sha256sum > ../"$1.sums"
    )
}

epoch=$(git log -1 --format=%ct)
last=$(($(nproc) - 1))
build one "home" UTC 022 1 0
build "two, elsewhere" "another home" Pacific/Auckland 077 4711 "0-$last"
if ! diff "$place/one.sums" "$place/two, elsewhere.sums"; then
    echo "two builds differ: see $place"
    exit 1
fi
echo "two builds of $system, $(wc -l < "$place/one.sums") files, one hash: $(sha256sum < "$place/one.sums" | cut -c 1-16)"
rm -rf "$place"
