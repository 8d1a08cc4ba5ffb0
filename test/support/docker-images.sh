# shellcheck shell=bash
# The images for tests, made without an image registry; sourced by docker-engine. On an engine of our own they are put
# together from packages of Debian bookworm, whose Python is 3.11 too; any other engine has to pull the real ones.

PYTHON_IMAGE=python:3.11-slim-bookworm
PYTHON_FORM=drydock-test:compiled # label and its value
BUSYBOX_IMAGE=busybox:latest
RUNPOD_IMAGE=drydock-test/runpod-worker
RUNPOD_PACKAGE=runpod==1.12.0 # source: test/platform/seen.json
# The libraries of Python and the tools that commands of endpoints use; all else comes as their dependencies.
PYTHON_IMAGE_PACKAGES='python3 python3-pip ca-certificates base-files base-passwd bash coreutils dash debianutils findutils grep
  gzip hostname libc-bin media-types netbase sed tar tzdata'
PATH_IN_IMAGE=PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
PIP_LIMIT_S=300

has_images() { docker image inspect "$@" >/dev/null 2>&1; }
# An engine of our own may still have a Python image of an earlier form.
has_base_images() {
  has_images "$PYTHON_IMAGE" "$BUSYBOX_IMAGE" || return 1
  ! is_own_engine || is_private || has_python_form
}
has_python_form() { docker image inspect --format '{{.Config.Labels}}' "$PYTHON_IMAGE" | grep -q "$PYTHON_FORM"; }

make_base_images() {
  # An engine of a test takes those of the shared one, where it runs.
  if is_private && answers "unix://$shared/docker.sock"; then
    DOCKER_HOST="unix://$shared/docker.sock" docker save "$PYTHON_IMAGE" "$BUSYBOX_IMAGE" | docker load >/dev/null
    return 0
  fi
  if is_own_engine && grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
    say 'making the base images from packages'
    has_images "$BUSYBOX_IMAGE" || in_work_folder make_busybox_image
    has_python_form 2>/dev/null || in_work_folder make_python_image
    return 0
  fi
  local image
  for image in "$PYTHON_IMAGE" "$BUSYBOX_IMAGE"; do
    has_images "$image" || docker pull --quiet "$image" >/dev/null 2>&1 ||
      cannot "the engine at $DOCKER_HOST has no image $image and cannot pull it"
  done
}

# in_work_folder FUNCTION: runs it in an empty folder of its own, which vanishes.
in_work_folder() (
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT
  cd "$work"
  set -e
  "$1"
)

# unpack PACKAGE...: the packages and all that they depend on, as files in ./root, without their scripts. Much faster
# than debootstrap: 3 s instead of 43 s for Python.
unpack() {
  mkdir -p debs/partial root/usr/{bin,sbin,lib,lib64}
  # For an empty package list everything is missing, so the whole closure is fetched.
  : >nothing-installed
  fetch() {
    apt-get install -y -qq --no-install-recommends --download-only -o Debug::NoLocking=1 \
      -o Dir::State::Status="$PWD/nothing-installed" -o Dir::Cache::archives="$PWD/debs" "$@" >/dev/null 2>&1
  }
  # Package lists may be too old, or not there at all.
  fetch "$@" || { apt-get update -qq >/dev/null 2>&1 && fetch "$@"; } || cannot "packages cannot be fetched: $*"
  local name
  for name in bin sbin lib lib64; do ln -s "usr/$name" "root/$name"; done
  for name in debs/*.deb; do
    dpkg-deb --fsys-tarfile "$name" | tar --extract --directory root --keep-directory-symlink \
      --exclude=./usr/share/doc --exclude=./usr/share/man --exclude=./usr/share/locale
  done
}

# import_root TAG COMMAND [OPTION...]: ./root as an image.
import_root() {
  tar --create --numeric-owner --directory root . |
    docker import --change "ENV $PATH_IN_IMAGE" --change 'ENV LANG=C.UTF-8' --change "CMD [\"$2\"]" "${@:3}" - "$1" >/dev/null
}

make_busybox_image() {
  unpack busybox-static base-passwd
  mkdir -p busybox/{bin,dev,etc,home,proc,root,sys,tmp,usr/bin,usr/sbin,sbin,var}
  chmod 1777 busybox/tmp
  cp root/bin/busybox busybox/bin/
  cp root/usr/share/base-passwd/passwd.master busybox/etc/passwd
  cp root/usr/share/base-passwd/group.master busybox/etc/group
  chroot busybox /bin/busybox --install -s /bin
  rm -rf root && mv busybox root
  import_root "$BUSYBOX_IMAGE" sh
}

make_python_image() {
  # shellcheck disable=SC2086 # a list
  unpack $PYTHON_IMAGE_PACKAGES
  # As the scripts of the packages would have done.
  cp root/usr/share/base-passwd/passwd.master root/etc/passwd
  cp root/usr/share/base-passwd/group.master root/etc/group
  cp root/usr/share/libc-bin/nsswitch.conf root/etc/nsswitch.conf
  # Containers trust whom this machine trusts, or a package index that it reaches through a proxy is closed to them.
  cp /etc/ssl/certs/ca-certificates.crt root/etc/ssl/certs/ 2>/dev/null ||
    cat root/usr/share/ca-certificates/mozilla/*.crt >root/etc/ssl/certs/ca-certificates.crt
  chroot root /sbin/ldconfig
  # Else each worker compiles what it imports: 0.4 s of the processor instead of 0.1 s, and pip 2 s.
  chroot root /usr/bin/python3.11 -m compileall -q --invalidation-mode unchecked-hash /usr/lib/python3.11 /usr/lib/python3
  # As in the official image: all names in /usr/local/bin, and pip may install into site-packages.
  mkdir -p root/{mnt,opt,srv} root/usr/local/bin root/usr/local/lib/python3.11/site-packages
  ln -s /usr/bin/python3.11 root/usr/local/bin/python3.11
  ln -s python3.11 root/usr/local/bin/python3
  ln -s python3.11 root/usr/local/bin/python
  ln -s /usr/bin/pip root/usr/local/bin/pip
  ln -s mawk root/usr/bin/awk
  ln -s which.debianutils root/usr/bin/which
  ln -s site-packages root/usr/local/lib/python3.11/dist-packages
  rm root/usr/lib/python3.11/EXTERNALLY-MANAGED
  import_root "$PYTHON_IMAGE" python3 --change "LABEL ${PYTHON_FORM/:/=}"
  # It is to be made again on this one.
  docker image rm --force "$RUNPOD_IMAGE" >/dev/null 2>&1 || true
}

make_runpod_image() { say "making $RUNPOD_IMAGE" && in_work_folder build_runpod_image; }

build_runpod_image() {
  # The pip of the host reaches the package index as the host is set up to; a container might not.
  timeout "$PIP_LIMIT_S" python3 -m pip install --quiet --disable-pip-version-check --no-input --retries 1 --timeout 15 \
    --python-version 3.11 --only-binary=:all: --platform "manylinux2014_$(uname -m)" --platform "manylinux_2_28_$(uname -m)" \
    --target site-packages "$RUNPOD_PACKAGE" 2>pip.log >&2 ||
    cannot "$RUNPOD_PACKAGE cannot be installed: $(tail -n 1 pip.log)"
  printf 'FROM %s\nCOPY site-packages /usr/local/lib/python3.11/site-packages\n' "$PYTHON_IMAGE" >Dockerfile
  # The old builder is in every client; the new one is a plugin that Debian's has not.
  DOCKER_BUILDKIT=0 docker build --quiet --tag "$RUNPOD_IMAGE" . >/dev/null 2>build.log ||
    cannot "$RUNPOD_IMAGE cannot be built: $(tail -n 1 build.log)"
}
