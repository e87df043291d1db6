#!/usr/bin/env bash
# tests/clean.sh SUITE COMMAND: run a bash command in a copy of the checkout, in a minimal Debian.
# SUITE is bookworm (Python 3.11), trixie (3.13) or sid (the newest). debootstrap makes it once, in $DEBIANS/SUITE, from
# the mirror that this machine uses. `python` is a virtual environment in /python.
# /checkout gets the files that git tracks, as they are here; other files there stay from run to run.
# This needs root to mount folders. Other processes do not see the mounts, which end with the command.
# SUITE may be the path of an interpreter: then the command runs on this system, in a new environment, without mounts.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 2 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
suite=$1 command=$2 there=${DEBIANS:-/var/tmp/debians}/${1//\//+}
[ -x "$suite" ] || [ "$(id -u)" = 0 ] && command -v debootstrap > /dev/null || { echo "clean.sh: needs root and debootstrap" >&2; exit 2; }

if [ -x "$suite" ]; then
    [ -e "$there/python/bin/python" ] || "$suite" -m venv "$there/python"
elif [ ! -e "$there/python/bin/python" ]; then
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' \
        | awk '/\/debian\/?$/ {site = $0} END {print site}')
    mkdir -p "$there"
    [ -e "$there/usr/bin/git" ] || debootstrap --variant=minbase \
        --include=python3,python3-venv,ca-certificates,make,git "$suite" "$there" "$mirror" > "$there.log" \
        || { tail -n 3 "$there.log" >&2; exit 1; }
    chroot "$there" python3 -m venv /python
fi
mkdir -p "$there/checkout"
[ -e "$there/checkout/.git" ] || git -C "$there/checkout" init -q
git -C "$there/checkout" ls-files -z | (cd "$there/checkout" && xargs -0 rm -f)
git ls-files -z | tar --null --files-from=- --ignore-failed-read -cf - 2> /dev/null | tar -xf - -C "$there/checkout"
git -C "$there/checkout" add --all
[ ! -x "$suite" ] || { cd "$there/checkout" && PATH=$there/python/bin:$PATH exec bash -c "$command" < /dev/null; }

# Share what this machine needs to reach package indexes: settings, certificates, folders of packages.
exec unshare --mount --pid --fork --kill-child bash -euc '
there=$1 command=$2
mount --make-rprivate /
mount -t proc proc "$there/proc"
mount --rbind /dev "$there/dev"
mount --rbind /sys "$there/sys"
shared() { [ -d "$1" ] && mkdir -p "$there$1" || touch "$there$1"; mount --bind "$1" "$there$1"; }
for place in /etc/{hosts,resolv.conf,pip.conf,npmrc,ssl/certs} /usr/local/share/ca-certificates /opt \
        ~/.config/pip ~/.npmrc ~/.cache/pip; do
    [ ! -e "$place" ] || shared "$place"
done
exec chroot "$there" /usr/bin/env -u TMPDIR PATH=/python/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    bash -c "cd /checkout && $command" < /dev/null
' clean "$there" "$command"
