/** The container as its handler sees it. */
import { randomUUID } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { sharedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { STAYS_MS } from '../support/patience.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const setup = sharedContainerService(engine)

const LOOK = `
import os, socket
from urllib.parse import urlsplit

def read(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError as error:
        return type(error).__name__

def first(*paths):
    """Control groups of the first or the second version."""
    return next((text for text in map(read, paths) if not text.endswith("Error")), None)

def write(path):
    try:
        with open(path, "w"):
            return "written"
    except OSError as error:
        return error.strerror

def connect(host, port):
    try:
        socket.create_connection((host, port), 2).close()
        return "connected"
    except OSError as error:
        return type(error).__name__

def handler(job):
    status = dict(line.split(":", 1) for line in read("/proc/self/status").splitlines())
    one = "/sys/fs/cgroup/"
    service = urlsplit(os.environ["RUNPOD_WEBHOOK_GET_JOB"])
    return {
        "status": {name: status[name].split() for name in ["CapEff", "CapPrm", "NoNewPrivs", "Seccomp", "Uid", "Gid"]},
        "memory": first(one + "memory.max", one + "memory/memory.limit_in_bytes"),
        "pids": first(one + "pids.max", one + "pids/pids.max"),
        "written": {path: write(path) for path in ["/app/x", "/opt/drydock/python/x", "/root/x", "/tmp/x", "/usr/x"]},
        "sockets": [path for path in ["/var/run/docker.sock", "/run/docker.sock"] if os.path.exists(path)],
        "devices": sorted(name for name in os.listdir("/dev") if name.startswith(("sd", "vd", "nvme", "kmsg", "mem"))),
        "first": read("/proc/1/comm"),
        "gateway": connect(service.hostname, service.port),
        "reached": {f"{host}:{port}": connect(host, port) for host, port in job["input"].get("connect", [])},
    }
`

const NOTHING = '0000000000000000'
const MEMORY = 256 * 1024 * 1024
const READ_ONLY = 'Read-only file system'

async function look(container: object, input: object = {}) {
  const service = await setup()
  chmodSync(service.folder, 0o755) // the user of the profile `strict` owns nothing
  await service.createContainerHandler('look', LOOK, { idleTimeoutMs: STAYS_MS }, { prepared: 0, ...container })
  const record = await service.jobEnd('look', await service.run('look', input))
  expect(record).toMatchObject({ status: 'COMPLETED' })
  return { service, seen: record.output }
}

test('the profile safe: no capability, no new privilege, limits, code that cannot be changed, no engine', async () => {
  const { seen } = await look({ memoryBytes: MEMORY })
  expect(seen).toMatchObject({
    status: { CapEff: [NOTHING], CapPrm: [NOTHING], NoNewPrivs: ['1'], Seccomp: ['2'] },
    memory: String(MEMORY),
    pids: '512',
    sockets: [],
    devices: [],
    first: expect.stringMatching(/^(docker-init|tini)$/),
    gateway: 'connected',
  })
  expect(seen.written).toMatchObject({
    '/app/x': READ_ONLY,
    '/opt/drydock/python/x': READ_ONLY,
    '/root/x': 'written',
    '/tmp/x': 'written',
  })
})

test('the profile strict: nobody, on a root that is read only', async () => {
  const { seen } = await look({ profile: 'strict' })
  const nobody = ['65534', '65534', '65534', '65534']
  expect(seen.status).toMatchObject({ CapEff: [NOTHING], NoNewPrivs: ['1'], Seccomp: ['2'], Uid: nobody, Gid: nobody })
  expect(seen.written).toMatchObject({ '/tmp/x': 'written', '/usr/x': READ_ONLY, '/app/x': READ_ONLY })
})

test('a closed network: the service is reached, and nothing else', async () => {
  // Addresses for documentation, which a router would have to be asked about.
  const world: readonly [string, number][] = [
    ['192.0.2.1', 80],
    ['198.51.100.1', 443],
  ]
  const { seen, service } = await look({ egress: false }, { connect: world })
  expect(seen.gateway).toBe('connected')
  expect(Object.values(seen.reached)).not.toContain('connected')
  const [container = ''] = await service.containers()
  const names = '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}}{{end}}'
  const network = await service.docker('inspect', '--format', names, container)
  expect(await service.docker('network', 'inspect', '--format', '{{.Internal}}', network)).toBe('true')
})

const WRITER = `
import os

def handler(job):
    with open("/kept/file", "a") as file:
        file.write("x")
    return {"size": os.path.getsize("/kept/file"), "user": os.getuid()}
`

test.each(['safe', 'strict'])(
  'a named volume that is new can be written by a worker of the profile %s',
  async (profile) => {
    const source = `drydock-test-${randomUUID()}`
    // Registered before `setup()`, so that no container has the volume any more.
    onTestFinished(async () => void (await service.docker('volume', 'rm', '--force', source)))
    const service = await setup()
    chmodSync(service.folder, 0o755)
    const container = { profile, prepared: 0, volumes: [{ source, target: '/kept' }] }
    await service.createContainerHandler('writer', WRITER, {}, container)
    for (const size of [1, 2]) {
      const record = await service.jobEnd('writer', await service.run('writer', {}))
      expect(record).toMatchObject({ status: 'COMPLETED', output: { size } })
    }
    expect(await service.containers()).toHaveLength(1)
  },
)
