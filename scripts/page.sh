#!/bin/sh
# page.sh [--try]: fetches the packages that the page of kerr report is bundled of, as package-lock.json pins them, into
# build/page. Does nothing, quickly, where they are there. --try: where that does not work the build goes on without.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
web=$here/report/page/web
out=$here/build/page
if [ -f "$out/ready" ] && cmp -s "$web/package-lock.json" "$out/package-lock.json"; then exit 0; fi

status=1
[ "${1-}" != --try ] || status=0
fail() {
  echo "kerr: $1: kerr report is built without its page, and the page's tests are left out.  Later:  sh scripts/page.sh" >&2
  exit $status
}

command -v npm >/dev/null && command -v node >/dev/null || fail "npm is not there"
mkdir -p "$out"
rm -f "$out/ready"
cp "$web/package.json" "$web/package-lock.json" "$out/"
# No package runs anything of its own here.
(cd "$out" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || fail "npm cannot fetch its packages ($out/npm.log)"
touch "$out/ready"
