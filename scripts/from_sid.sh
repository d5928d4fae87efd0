# Unpacks packages of Debian's sid suite into a folder, and changes no installed package. To be sourced by a script that has `die` and
# `say`. The mirror is the one that apt already uses.

# sid_open OTHERWISE: finds the mirror and reads its list of packages. OTHERWISE is what to do on another system.
sid_open() {
    otherwise=$1
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || die "this script needs Debian's apt. $otherwise"
    grep -qiE '^ID(_LIKE)?=.*debian' /etc/os-release 2>/dev/null || die "this is not a Debian. $otherwise"
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -r "$keys" ] || die "there is no $keys. Install debian-archive-keyring."
    # From one-line sources or deb822 ones. Only an archive that ends in /debian has a sid suite; -security has none.
    mirror=$(
        { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -nE 's/^[[:space:]]*deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+).*/\2/p'
          cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -nE 's/^URIs:[[:space:]]*//p' | tr -s ' ' '\n'
        } | grep -E '/debian/?$' | head -1 || true
    )
    [ -n "$mirror" ] || die "apt's sources name no Debian mirror (an address that ends in /debian). Add one. $otherwise"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/lists/partial" "$work/debs" "$work/root"
    echo "deb [signed-by=$keys] $mirror sid main" > "$work/sources.list"
    apt=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists"
         -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o "APT::Sandbox::User=$(id -un)")
    say "reading the list of packages"
    apt-get "${apt[@]}" update -qq || die "the mirror that apt uses has no sid suite, or is out of reach. $otherwise"
}

# sid_version PACKAGE: prints the version that the mirror has.
sid_version() { apt-cache "${apt[@]}" -o Dir::State::status=/dev/null policy "$1" | sed -nE 's/^ *Candidate: *//p'; }

# sid_unpack PACKAGE...: unpacks packages with all that they need into $work/root.
sid_unpack() {
    packages=$(apt-get "${apt[@]}" -o Dir::State::status=/dev/null -s install --no-install-recommends "$@" | awk '/^Inst/{print $2}')
    [ -n "$packages" ] || die "apt found no packages for $1. $otherwise"
    say "fetching $(wc -w <<< "$packages") packages"
    # shellcheck disable=SC2086
    (cd "$work/debs" && apt-get "${apt[@]}" download -qq $packages)
    say "unpacking"
    for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$work/root"; done
}

# sid_place FOLDER: puts what was unpacked in place, in one step.
sid_place() { rm -rf "$1"; mkdir -p "$(dirname "$1")"; mv "$work/root" "$1"; }
