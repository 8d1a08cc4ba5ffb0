# What the worker image of an endpoint is built on that wants packages: Python, with packages of Debian and of Python. The
# names come as files in which each ends with NUL, and stand after `--`: whatever they hold, none is read as a line of this
# file, as shell or as an option. See src-main/runtimes/docker/package-image.ts.
ARG BASE

FROM ${BASE}
COPY system-packages.list /opt/drydock/
RUN if [ -s /opt/drydock/system-packages.list ]; then \
      apt-get -q update \
      && DEBIAN_FRONTEND=noninteractive xargs -0 -a /opt/drydock/system-packages.list \
        apt-get -q install -y --no-install-recommends -- \
      && rm -rf /var/lib/apt/lists/*; \
    fi
COPY packages.list /opt/drydock/
RUN if [ -s /opt/drydock/packages.list ]; then \
      PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 xargs -0 -a /opt/drydock/packages.list \
        python3 -m pip install --no-cache-dir --no-input --; \
    fi
