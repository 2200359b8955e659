#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Crosstie authors
#
# Builds the image of the Docker demo and of the container tests; image.sh --help says how.
set -eu

BASE=eclipse-temurin:25-jre
PACKAGES_BASE=crosstie-base:local
TAG=crosstie-demo:local
SUITE=bookworm
MIRROR=${CROSSTIE_DEBIAN_MIRROR:-http://deb.debian.org/debian}
MODULES=java.base,java.logging,java.management,java.naming,java.xml,jdk.jfr,jdk.management,jdk.unsupported

usage() {
  cat <<END
Usage: demo/image.sh [--base IMAGE | --packages] [--base-only] [--jars FOLDER] [--tag NAME]

Builds the Docker image $TAG from the jars in cli/target, which are built if need be.

  --base IMAGE   start from that image, a Debian or Ubuntu with Java 25. Default: $BASE
  --packages     start from an image that is made here, of Debian's packages and this JDK, where no
                 registry can be reached; needs root and debootstrap, and is kept as $PACKAGES_BASE
  --base-only    make the base of --packages, and stop
  --jars FOLDER  take the jars from there, for example cli/target, and build none
  --tag NAME     call the image so. Default: $TAG

Exit status: 0 done, 1 a step failed, 2 wrong words, 3 something is not installed.
END
}

fail() {
  printf 'image.sh: %s\n' "$2" >&2
  exit "$1"
}

need() {
  command -v "$1" >/dev/null 2>&1 || fail 3 "$1 is not on the PATH; $2"
}

home=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
base=$BASE
base_only=no
jars=
while [ $# -gt 0 ]; do
  case $1 in
    --base) base=${2:?"--base needs the name of an image"} && shift ;;
    --packages) base=$PACKAGES_BASE ;;
    --base-only) base_only=yes base=$PACKAGES_BASE ;;
    --jars) jars=${2:?"--jars needs a folder"} && shift ;;
    --tag) TAG=${2:?"--tag needs a name"} && shift ;;
    --help | -h) usage && exit 0 ;;
    *) usage >&2 && fail 2 "unknown word \"$1\"" ;;
  esac
  shift
done

need docker "install Docker, on Debian by: apt install docker.io"
docker version >/dev/null 2>&1 ||
  fail 3 "no Docker engine answers; start it, and see that this user may use it (docker version)"

work=$(mktemp -d "${TMPDIR:-/tmp}/crosstie-image.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The first JDK with jlink that is new enough.
find_jdk() {
  for candidate in "${JAVA_HOME:-}" /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/*; do
    if [ -x "$candidate/bin/jlink" ] && [ -r "$candidate/release" ]; then
      version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$candidate/release")
      if [ "${version:-0}" -ge 25 ]; then
        printf '%s\n' "$candidate"
        return
      fi
    fi
  done
}

build_base() {
  need debootstrap "install it, on Debian by: apt install debootstrap"
  [ "$(id -u)" = 0 ] || fail 3 "debootstrap needs root; run this with sudo"
  jdk=$(find_jdk)
  [ -n "$jdk" ] || fail 3 "no JDK 25 with jlink was found; set JAVA_HOME to one"
  printf 'image.sh: base from packages (%s) and %s, a minute or two ...\n' "$SUITE" "$jdk" >&2
  root=$work/root
  if ! debootstrap --variant=minbase --include=iproute2,nftables,iputils-ping,procps \
    "$SUITE" "$root" "$MIRROR" >"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    fail 1 "debootstrap failed"
  fi
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* \
    "$root"/usr/share/doc "$root"/usr/share/man "$root"/usr/share/locale
  mkdir -p "$root/opt"
  "$jdk/bin/jlink" --add-modules "$MODULES" --strip-debug --no-header-files --no-man-pages \
    --output "$root/opt/java"
  ln -s /opt/java/bin/java "$root/usr/local/bin/java"
  tar -C "$root" -cf - . | docker import - "$PACKAGES_BASE" >/dev/null
  rm -rf "$root"
}

if [ "$base" = "$PACKAGES_BASE" ] && ! docker image inspect "$base" >/dev/null 2>&1; then
  build_base
fi
[ "$base_only" = no ] || exit 0

if [ -z "$jars" ]; then
  "$home/crosstie" version >/dev/null # builds what is older than its sources
  jars=$home/cli/target/quick
fi
mkdir -p "$work/context/crosstie"
set -- "$jars"/crosstie-cli-*.jar
[ $# -eq 1 ] && [ -f "$1" ] && [ -d "$jars/lib" ] ||
  fail 1 "$jars has no crosstie-cli jar with a folder lib; build it by: mvn -pl cli -am package"
cp -- "$1" "$work/context/crosstie/crosstie.jar"
cp -RL -- "$jars/lib" "$work/context/crosstie/lib"
cp -- "$home/demo/Dockerfile" "$work/context"
before=$(docker image inspect --format '{{.Id}}' "$TAG" 2>/dev/null || true)
if ! docker build --quiet --build-arg "BASE=$base" --tag "$TAG" "$work/context" \
  >/dev/null 2>"$work/log"; then
  if docker image inspect "$base" >/dev/null 2>&1; then
    tail -n 20 "$work/log" >&2
    fail 1 "docker build failed"
  fi
  tail -n 1 "$work/log" >&2
  fail 3 "the base image $base cannot be had; where no registry can be reached: sudo demo/image.sh \
--packages, or name an image that is here by --base"
fi
if [ -n "$before" ] && [ "$before" != "$(docker image inspect --format '{{.Id}}' "$TAG")" ]; then
  docker rmi "$before" >/dev/null 2>&1 || true # which a container may still need
fi
printf 'image.sh: built %s on %s\n' "$TAG" "$base" >&2
