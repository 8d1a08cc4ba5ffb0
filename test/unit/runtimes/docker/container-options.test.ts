import { describe, expect, it } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { type ContainerPlan, containerOptions } from '../../../../src-main/runtimes/docker/container-options.ts'
import type { WorkerSpec } from '../../../../src-main/runtimes/port.ts'

const GIB = 1024 ** 3
const NETWORK = {
  name: 'drydock-1',
  extraHosts: [],
  endpointHosts: { url: 'http://host.docker.internal:8791', address: '172.18.0.1' },
}
const ENGINE = { cpus: 4, memoryBytes: 8 * GIB, inVirtualMachine: false, rootless: false }

type Given = {
  readonly settings?: object
  readonly spec?: Partial<WorkerSpec>
  readonly plan?: Partial<ContainerPlan>
}

/** The options of a container; of a handler in an image of others, where the test says nothing else. */
function optionsOf({ settings = {}, spec = {}, plan = {} }: Given = {}) {
  return containerOptions({
    spec: {
      endpointId: 'e',
      workerId: 'w',
      handler: '/home/ada/work/my_handler.py',
      command: undefined,
      cwd: undefined,
      python: 'python3',
      loadBalanced: undefined,
      app: undefined,
      env: {},
      ...spec,
      container: containerSettings.parse({ image: 'an-image', ...settings }),
    },
    image: 'an-image',
    mounts: [],
    serviceUser: '1000:1000',
    network: NETWORK,
    engine: ENGINE,
    labels: { 'svc.worker': 'w' },
    gpus: { hostConfig: {}, env: {} },
    ...plan,
  })
}

const hostOf = (given?: Given) => optionsOf(given).HostConfig ?? {}
const NOTHING = { handler: undefined, command: undefined }

describe('the command of a container', () => {
  it('is svc_worker with the handler', () => {
    expect(optionsOf()).toMatchObject({
      Image: 'an-image',
      Entrypoint: ['python3', '-m', 'svc_worker'],
      Cmd: ['/app/my_handler.py'],
      WorkingDir: '/app',
    })
  })

  it('is a command line in a shell that it replaces', () => {
    const options = optionsOf({ spec: { handler: undefined, command: 'my-worker --fast "a b"' } })
    expect(options).toMatchObject({ Entrypoint: ['/bin/sh', '-c'], Cmd: ['exec my-worker --fast "a b"'] })
    expect(options.WorkingDir).toBeUndefined()
  })

  it('is what the image runs, with the entry point and arguments of the settings in its place', () => {
    expect(optionsOf({ spec: NOTHING })).not.toHaveProperty('Entrypoint')
    expect(optionsOf({ spec: NOTHING })).not.toHaveProperty('Cmd')
    expect(optionsOf({ spec: NOTHING, settings: { entrypoint: ['a', 'b'], args: [] } })).toMatchObject({
      Entrypoint: ['a', 'b'],
      Cmd: [],
    })
  })
})

describe('the environment of a container', () => {
  it('holds every variable as it is, also with newlines and equals signs', () => {
    const { Env } = optionsOf({ spec: { ...NOTHING, env: { KEY: 'line one\nline two', EMPTY: '', SUM: '1+1=2' } } })
    expect(Env).toEqual(['PYTHONUNBUFFERED=1', 'KEY=line one\nline two', 'EMPTY=', 'SUM=1+1=2'])
  })

  it('finds svc_worker before the folders of the user', () => {
    expect(optionsOf({ spec: { env: { PYTHONPATH: '/models' } } }).Env).toContain(
      'PYTHONPATH=/opt/drydock/python:/models',
    )
  })

  it.each([
    [{ port: 80 }, ['PORT=80', 'PORT_HEALTH=80']],
    [{ port: 80, healthPort: 81 }, ['PORT=80', 'PORT_HEALTH=81']],
  ])('of a load-balanced worker says on which ports it answers: %j', (loadBalanced, ports) => {
    expect(optionsOf({ spec: { ...NOTHING, loadBalanced } }).Env).toEqual(expect.arrayContaining(ports))
  })

  it('has the cards that were given, whatever the user set', () => {
    const gpus = { hostConfig: { Runtime: 'nvidia' }, env: { NVIDIA_VISIBLE_DEVICES: 'GPU-1' } }
    const options = optionsOf({ spec: { env: { NVIDIA_VISIBLE_DEVICES: 'all' } }, plan: { gpus } })
    expect(options.Env?.filter((line) => line.startsWith('NVIDIA'))).toEqual(['NVIDIA_VISIBLE_DEVICES=GPU-1'])
    expect(options.HostConfig?.Runtime).toBe('nvidia')
  })
})

describe('a profile', () => {
  it('safe drops all capabilities and takes no new privileges', () => {
    const host = hostOf({ settings: { profile: 'safe' } })
    expect(host).toMatchObject({ CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'], Init: true, PidsLimit: 512 })
    expect(host).not.toHaveProperty('ReadonlyRootfs')
    expect(host).not.toHaveProperty('Privileged')
    expect(optionsOf({ settings: { profile: 'safe' } })).not.toHaveProperty('User')
  })

  it('strict writes to /tmp alone, as nobody', () => {
    const options = optionsOf({ settings: { profile: 'strict' } })
    expect(options.User).toBe('65534:65534')
    expect(options.HostConfig).toMatchObject({
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': 'size=1g,mode=1777' },
    })
  })

  it('trusted has the capabilities of the engine, and is still no privileged container', () => {
    const host = hostOf({ settings: { profile: 'trusted' } })
    for (const name of ['CapDrop', 'SecurityOpt', 'ReadonlyRootfs', 'Privileged']) expect(host).not.toHaveProperty(name)
  })

  it('keeps the capabilities that are named, with and without CAP_', () => {
    expect(hostOf({ settings: { capabilities: ['SYS_NICE', 'CAP_NET_RAW'] } })).toMatchObject({
      CapDrop: ['ALL'],
      CapAdd: ['SYS_NICE', 'NET_RAW'],
    })
  })
})

describe('the user of a container', () => {
  const OURS = { image: undefined }

  it.each([
    ['an image of others is its own', {}, {}, undefined],
    ['the worker image is that of this service', OURS, {}, '1000:1000'],
    ['the worker image is that of the image where this system has none', OURS, { serviceUser: undefined }, undefined],
    [
      'the worker image on a rootless engine is its root, who is the user',
      OURS,
      { engine: { ...ENGINE, rootless: true } },
      '0:0',
    ],
    [
      'the worker image in a virtual machine is that of the image',
      OURS,
      { engine: { ...ENGINE, inVirtualMachine: true } },
      undefined,
    ],
    ['any image with the strict profile is nobody', { ...OURS, profile: 'strict' }, {}, '65534:65534'],
  ])('of %s', (_name, settings, plan, user) => {
    expect(optionsOf({ settings, plan }).User).toBe(user)
  })
})

describe('the limits of a container', () => {
  it('are those of its settings, without swap', () => {
    expect(hostOf({ settings: { cpu: 'cpu3c-2-4', shmBytes: 1000 } })).toMatchObject({
      NanoCpus: 2e9,
      Memory: 4 * GIB,
      MemorySwap: 4 * GIB,
      ShmSize: 1000,
    })
  })

  it('of the disk are asked for only where they are set', () => {
    expect(hostOf()).not.toHaveProperty('StorageOpt')
    expect(hostOf({ settings: { diskBytes: 10 * GIB } }).StorageOpt).toEqual({ size: String(10 * GIB) })
  })

  it('cap what it prints', () => {
    expect(hostOf().LogConfig).toEqual({ Type: 'json-file', Config: { 'max-size': '8m', 'max-file': '2' } })
  })
})

describe('the files of a container', () => {
  it('are those of the place, as it has them', () => {
    const volumes = [
      { type: 'bind' as const, source: '/data/models', target: '/models', readOnly: true },
      { type: 'volume' as const, source: 'cache', target: '/cache', readOnly: false },
    ]
    const { Mounts } = hostOf({ spec: NOTHING, plan: { mounts: volumes } })
    expect(Mounts).toEqual([
      { Type: 'bind', Source: '/data/models', Target: '/models', ReadOnly: true },
      { Type: 'volume', Source: 'cache', Target: '/cache', ReadOnly: false },
    ])
  })
})

describe('the network of a container', () => {
  it('is that of this service, with the names that it needs', () => {
    const network = { ...NETWORK, extraHosts: ['host.docker.internal:host-gateway'] }
    expect(hostOf({ plan: { network } })).toMatchObject({
      NetworkMode: 'drydock-1',
      ExtraHosts: ['host.docker.internal:host-gateway'],
    })
  })

  it('leads the hosts of endpoints that it may call to the service', () => {
    expect(hostOf({ spec: { callsHosts: ['flash', 'ships'] } }).ExtraHosts).toEqual([
      'host.docker.internal:172.18.0.1',
      'flash.host.docker.internal:172.18.0.1',
      'ships.host.docker.internal:172.18.0.1',
    ])
    expect(hostOf().ExtraHosts).toEqual([])
  })

  it('publishes ports on free ports of loopback alone', () => {
    const options = optionsOf({ settings: { ports: [8080, 9000] } })
    expect(options.ExposedPorts).toEqual({ '8080/tcp': {}, '9000/tcp': {} })
    expect(options.HostConfig?.PortBindings).toEqual({
      '8080/tcp': [{ HostIp: '127.0.0.1' }],
      '9000/tcp': [{ HostIp: '127.0.0.1' }],
    })
  })

  it.each([
    ['its address is seen', {}, []],
    ['the engine is in a virtual machine', { inVirtualMachine: true }, ['80/tcp', '81/tcp']],
    ['the engine is rootless', { rootless: true }, ['80/tcp', '81/tcp']],
  ])('publishes the ports of a load-balanced worker where needed: %s', (_name, engine, ports) => {
    const host = hostOf({
      spec: { ...NOTHING, loadBalanced: { port: 80, healthPort: 81 } },
      plan: { engine: { ...ENGINE, ...engine } },
    })
    expect(Object.keys(host.PortBindings ?? {})).toEqual(ports)
  })
})

it('labels are those of the worker', () => {
  expect(optionsOf().Labels).toEqual({ 'svc.worker': 'w' })
})
