#!/bin/sh
# page.sh [--try]: what the page of kerr report is made of and tested with. Installs Debian's nodejs, npm and chromium
# where they are not there, and fetches the packages of npm that package-lock.json pins into build/page. Does nothing,
# quickly, where all is there. --try: where that does not work it says so, and the build goes on without.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
web=$here/report/page/web
out=$here/build/page
status=1
[ "${1-}" != --try ] || status=0
fail() {
  echo "kerr: $1: kerr report is built without its page, and the page's tests are left out.  Later:  sh scripts/page.sh" >&2
  exit $status
}

missing=""
command -v node >/dev/null || missing="$missing nodejs"
command -v npm >/dev/null || missing="$missing npm"
command -v chromium >/dev/null || missing="$missing chromium"
if [ -n "$missing" ] && [ "$(id -u)" = 0 ]; then
  echo "kerr: installing$missing"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } >/dev/null 2>&1 || true
fi
command -v node >/dev/null && command -v npm >/dev/null || fail "Debian's nodejs and npm are not there"
command -v chromium >/dev/null || echo "kerr: chromium is not there: the tests of kerr report's page are left out" >&2

[ -f "$out/ready" ] && cmp -s "$web/package-lock.json" "$out/package-lock.json" && exit 0
mkdir -p "$out"
rm -f "$out/ready"
cp "$web/package.json" "$web/package-lock.json" "$out/"
# No package runs anything of its own here.
(cd "$out" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) ||
  fail "npm cannot fetch its packages ($out/npm.log)"
touch "$out/ready"
