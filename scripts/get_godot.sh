#!/usr/bin/env bash
# Downloads Godot 4 into .godot-engine/ on Debian, and changes no installed package. Usage: scripts/get_godot.sh [FOLDER]
#
# Debian's sid suite has Godot 4. Its packages need sid's C library, so they are not installed but unpacked into the folder and
# run through their own loader. The mirror is the one that apt already uses. A second run does nothing.
set -euo pipefail

least=4.4
here=$(cd "$(dirname "$0")/.." && pwd)
into=$(realpath -m "${1:-$here/.godot-engine}")

say() { echo "get_godot: $*" >&2; }
die() { say "$@"; exit 1; }
fits() { [ -n "$1" ] && [ "$(printf '%s\n%s\n' "$least" "$1" | sort -V | head -1)" = "$least" ]; }

get_xvfb() {
    command -v Xvfb >/dev/null && return 0
    if [ "$(id -u)" = 0 ]; then
        say "installing xvfb, for pictures without a display"
        apt-get install -y -qq --no-install-recommends xvfb >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends xvfb >/dev/null; } \
            || say "xvfb could not be installed; the screenshot test will not run."
    else
        say "for the screenshot test install xvfb: sudo apt-get install xvfb"
    fi
}

if [ -x "$into/godot" ] && fits "$("$into/godot" --version 2>/dev/null | tail -1)"; then
    get_xvfb
    say "$into/godot is there already: $("$into/godot" --version | tail -1)"
    exit 0
fi

if [ -d "$into" ] && [ ! -e "$into/godot" ] && [ -n "$(ls -A "$into")" ]; then
    die "$into holds something else. Name an empty folder."
fi
command -v apt-get >/dev/null && command -v dpkg >/dev/null \
    || die "this script needs Debian's apt. Elsewhere install Godot $least or later from your system or its makers, and set GODOT to it."
grep -qiE '^ID(_LIKE)?=.*debian' /etc/os-release 2>/dev/null \
    || die "this is not a Debian. Install Godot $least or later from your system or its makers, and set GODOT to it."
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keys" ] || die "there is no $keys. Install debian-archive-keyring."

# The mirror, from one-line sources or deb822 ones. Only an archive that ends in /debian has a sid suite; -security has none.
mirror=$(
    { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -nE 's/^[[:space:]]*deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+).*/\2/p'
      cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -nE 's/^URIs:[[:space:]]*//p' | tr -s ' ' '\n'
    } | grep -E '/debian/?$' | head -1 || true
)
[ -n "$mirror" ] || die "apt's sources name no Debian mirror (an address that ends in /debian). Add one, or set GODOT to a Godot $least or later."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/debs" "$work/root"
echo "deb [signed-by=$keys] $mirror sid main" > "$work/sources.list"
apt=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists"
     -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o "APT::Sandbox::User=$(id -un)")

say "reading the list of packages"
apt-get "${apt[@]}" update -qq || die "the mirror that apt uses has no sid suite, or is out of reach. Set GODOT to a Godot $least or later."
version=$(apt-cache "${apt[@]}" -o Dir::State::status=/dev/null policy godot | sed -nE 's/^ *Candidate: *//p')
fits "$version" || die "the mirror's Godot is version '${version:-none}', and $least or later is needed."

packages=$(apt-get "${apt[@]}" -o Dir::State::status=/dev/null -s install --no-install-recommends godot godot-template-release \
    libgl1-mesa-dri libegl1 libgl1 libglx-mesa0 mesa-vulkan-drivers | awk '/^Inst/{print $2}')
[ -n "$packages" ] || die "apt found no packages for godot. Set GODOT to a Godot $least or later."
say "fetching godot $version: $(wc -w <<< "$packages") packages, some 200 MB"
# shellcheck disable=SC2086
(cd "$work/debs" && apt-get "${apt[@]}" download -qq $packages)
say "unpacking"
for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$work/root"; done

cat > "$work/root/godot" <<'WRAPPER'
#!/bin/sh
# Runs the unpacked Godot with its own C library and, without a graphics card, with its own software renderer.
R=$(dirname "$(readlink -f "$0")")
L=$(dirname "$(ls "$R"/usr/lib/*/libc.so.6 | head -1)")
loader=$(ls "$L"/ld-linux-*.so.* | head -1)
if [ -n "$NPC_SOFTWARE_GL" ]; then
    export LIBGL_ALWAYS_SOFTWARE=1 LIBGL_DRIVERS_PATH="$L/dri" GBM_BACKENDS_PATH="$L/gbm" __EGL_VENDOR_LIBRARY_DIRS="$R/usr/share/glvnd/egl_vendor.d"
fi
exec "$loader" --library-path "$L:$L/pulseaudio:$L/blas:$L/lapack" "$R/usr/bin/godot" "$@"
WRAPPER
chmod +x "$work/root/godot"
fits "$("$work/root/godot" --version 2>/dev/null | tail -1)" || die "the unpacked Godot does not run on this machine. Set GODOT to one that does."
rm -rf "$into"
mkdir -p "$(dirname "$into")"
mv "$work/root" "$into"
get_xvfb
say "$into/godot: $("$into/godot" --version | tail -1)"
