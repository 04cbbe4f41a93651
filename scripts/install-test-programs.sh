#!/usr/bin/env bash
# Installs the programs that the tests start and that npm does not bring, from Debian's packages, where that may be
# done without asking anybody. Where it may not, says what to install: the tests that need it fail until then. Others
# can be asked for by name, as the benchmarks do.
set -euo pipefail

# Each is a program and, after the colon, the package that has it.
wanted=("$@")
[ "$#" -gt 0 ] || wanted=(redis-server:redis-server chromium:chromium nginx:nginx openssl:openssl zsh:zsh fish:fish)

# Servers are where not everybody looks for programs.
PATH=$PATH:/usr/sbin

# Servers are where only root looks.
PATH="$PATH:/usr/sbin"
missing=()
for each in "${wanted[@]}"; do
  command -v "${each%%:*}" >/dev/null || missing+=("${each##*:}")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo -n)
fi
if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
  echo "Programs are missing on this machine, and whatever needs them fails or is left out. Install: ${missing[*]}" >&2
  exit 0
fi

echo "Installing: ${missing[*]}" >&2

# A package that brings a service starts it when it is installed, and at every start of the machine. The tests start
# their own servers, so that one would only be in the way.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >&2
}
apt update
apt install --yes --no-install-recommends "${missing[@]}"

for service in redis-server nginx; do
  if [[ " ${missing[*]} " == *" $service "* ]] && [ -d /run/systemd/system ]; then
    "${as_root[@]}" systemctl disable --quiet --now "$service" >&2
  fi
done
