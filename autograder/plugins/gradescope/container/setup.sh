#!/usr/bin/env bash
# Installs Python, the tested versions of packages, and bubblewrap, which builds the outer wall. Gradescope runs
# this script once, as root, when it builds the image. Environment variables can set other paths, so that the
# script can be tried elsewhere.
set -euo pipefail

package="${AUTOGRADER_SOURCE:-/autograder/source}"
venv="${AUTOGRADER_VENV:-/autograder/venv}"
export DEBIAN_FRONTEND=noninteractive

find_python() {
    local name
    for name in python3.13 python3.12 python3.11 python3; do
        if "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
            echo "$name"
            return
        fi
    done
    return 1
}

apt-get update
apt-get install -y bubblewrap || echo "no bubblewrap here: submissions are graded without the outer wall"
if ! python="$(find_python)"; then
    for version in 3.13 3.12 3.11; do
        if apt-get install -y "python$version" "python$version-venv"; then break; fi
    done
    python="$(find_python)" || { echo "Python 3.11 or newer is needed: choose a newer base image"; exit 1; }
fi

"$python" -m venv "$venv"
"$venv/bin/pip" install --no-cache-dir \
    --constraint "$package/constraints.txt" \
    --index-url https://pypi.org/simple \
    --extra-index-url https://download.pytorch.org/whl/cpu \
    --requirement "$package/packages.txt" \
    "$package/engine"
