# SPDX-License-Identifier: LGPL-2.1-or-later
# Steps of ./dev that take long: apt, meson and ninja. What they print goes to logs in .cache/. Where one fails, a line
# says what is missing and what to do.

say() { printf '== %s\n' "$*"; }
die() {
  printf 'dev: %s\n' "$*" >&2
  exit 1
}

# --- Logs and errors ---------------------------------------------------------------------------------

# disk_full LOG: whether LOG says so, or the disk of this folder has less than 1 MiB left: not even the log can grow.
disk_full() {
  grep -qE "No space left on device|enough free (disk )?space" "$1" 2>/dev/null ||
    [ "$(df --output=avail . | tail -n 1)" -lt 1024 ]
}

# fail LOG TEXT: one line about what failed. Where the disk is full, that is why.
fail() {
  local text=$2
  if disk_full "$1"; then text='the disk is full: make room (`df -h` shows where) and come back'; fi
  printf 'dev: %s (log: %s)\n' "$text" "$1" >&2
  return 1
}

# Logs and what was downloaded.
make_cache() {
  { mkdir -p "${1:-.cache}" && [ -w "${1:-.cache}" ]; } 2>/dev/null ||
    die "cannot write into $root/${1:-.cache}: make room, or change its owner"
}

# --- apt ---------------------------------------------------------------------------------------------

apt() {
  local prefix=()
  [ "$(id -u)" = 0 ] || prefix=(sudo -n)
  "${prefix[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y -o Acquire::Retries=3 "$@" \
    </dev/null >>.cache/apt.log 2>&1
}

# may_install: whether apt may be run, without anybody who types a password.
may_install() {
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null
}

# Before the first update, a machine knows no packages.
list_packages() {
  compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || apt update || true
}

# die_of_apt LOG: why apt failed, in one line, by what it wrote.
die_of_apt() {
  local hosts lacks error
  hosts=$(sed -nE "s/.*(failure resolving|not resolve) '([^']+)'.*/\2/p; s/.*([Cc]onnect to|[Cc]onnection to) ([^: ]+).*/\2/p" \
    "$1" | sort -u | tr '\n' ' ')
  lacks=$(sed -nE "s/^E: Unable to locate package (.*)/\1/p; s/^E: Package '(.*)' has no installation candidate/\1/p" \
    "$1" | sort -u | tr '\n' ' ')
  error=$(sed -nE '/^E: /{s///p;q}' "$1")
  if [ -n "$hosts" ]; then
    fail "$1" "apt cannot reach ${hosts% }: connect to the network, or name another mirror in /etc/apt, and come back"
  elif [ -n "$lacks" ]; then
    fail "$1" "the mirrors in /etc/apt lack ${lacks% }: add one that has all of Debian's section main, and come back"
  else
    fail "$1" "apt failed${error:+: $error}"
  fi || exit 1
}

install_packages() {
  may_install || die "neither root nor sudo without a password; run this as root and come back:" \
    "apt-get update && apt-get install --no-install-recommends $*"
  say "installing $# packages with apt (log: .cache/apt.log)"
  make_cache
  : >.cache/apt.log
  list_packages
  apt install --no-install-recommends "$@" ||
    { apt update && : >.cache/apt.log && apt install --no-install-recommends "$@"; } || die_of_apt .cache/apt.log
}

# --- GstAnalytics ------------------------------------------------------------------------------------

export PKG_CONFIG_PATH=$root/.cache/analytics/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}

# has_analytics: whether this GStreamer has it, from 1.24 on.
has_analytics() {
  pkg-config --atleast-version=1.24 gstreamer-1.0 2>/dev/null
}

# Debian's package of its headers needs OpenCV's, 800 MB, so that only packages of Tandem are built with it. The headers
# are unpacked here, not installed, and the library is that of the package libgstreamer-plugins-bad1.0-0.
unpack_analytics() {
  if ! has_analytics || pkg-config --exists gstreamer-analytics-1.0; then return; fi
  local log=.cache/analytics.log library
  library=$(pkg-config --variable=libdir gstreamer-1.0)/libgstanalytics-1.0.so.0
  say 'fetching the headers of GstAnalytics: libgstreamer-plugins-bad1.0-dev (0.5 MB, unpacked here, not installed)'
  rm -rf .cache/analytics
  make_cache .cache/analytics
  if may_install; then list_packages; fi
  (
    cd .cache/analytics &&
      LC_ALL=C apt-get -q -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" download libgstreamer-plugins-bad1.0-dev &&
      dpkg-deb --fsys-tarfile libgstreamer-plugins-bad1.0-dev_*.deb |
      tar -x --wildcards './usr/include/*/gst/analytics' './usr/lib/*/gstreamer-analytics-1.0.pc' &&
      mkdir pkgconfig &&
      sed -e 's|^prefix=.*|prefix=${pcfiledir}/../usr|' -e "s|^Libs:.*|Libs: $library|" \
        usr/lib/*/pkgconfig/gstreamer-analytics-1.0.pc >pkgconfig/gstreamer-analytics-1.0.pc &&
      rm -r usr/lib libgstreamer-plugins-bad1.0-dev_*.deb
  ) >$log 2>&1 && return
  rm -rf .cache/analytics
  say "without GstAnalytics: its headers cannot be fetched (log: $log); later, with the network: ./dev setup gstreamer"
}

# --- meson and ninja ---------------------------------------------------------------------------------

# quiet_meson FOLDER ARGUMENT...: what meson prints goes to a log, and its error here.
quiet_meson() {
  local log=.cache/$1-setup.log
  make_cache
  meson "${@:2}" >"$log" 2>&1 && return
  fail "$log" "meson cannot set $1/ up: $(grep -m 1 -oE 'ERROR: .*' "$log" || tail -n 1 "$log")"
}

# follow_ninja FOLDER: hands its input on and shows on descriptor 3 how far ninja is: one line that is drawn anew on a
# terminal, else a line for each tenth.
follow_ninja() {
  local line text tenth shown=-1
  while IFS= read -r line; do
    printf '%s\n' "$line" 2>/dev/null || true
    [[ $line =~ ^\[([1-9][0-9]*)/([0-9]+)\] ]] || continue
    tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    text="compiling in $1/: $((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))%, step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
    if [ -t 3 ]; then
      printf '\r\033[K== %s' "$text" >&3
    elif [ $tenth -gt $shown ]; then
      say "$text" >&3
    fi
    shown=$tenth
  done
  if [ -t 3 ] && [ $shown -ge 0 ]; then echo >&3; fi
}

# compile FOLDER [TARGET...]: what ninja prints goes to a log, and the first command that fails here.
compile() {
  local folder=$1 log=.cache/$1.log
  make_cache
  { NINJA_STATUS='[%f/%t] ' ninja -C "$folder" "${@:2}" 2>&1 | follow_ninja "$folder" >"$log"; } 3>&1 && return
  disk_full "$log" || awk '/^\[[0-9]+\// { on = 0 } /^FAILED: / { on = !seen++ } on || /^ninja: error: /' "$log" >&2
  fail "$log" "the build in $folder/ failed"
}

# What compilers and generators wrote in the last build of a folder.
show_warnings() {
  grep -vE '^(\[[0-9]+/[0-9]+\] |ninja: )' ".cache/$1.log" || true
}
