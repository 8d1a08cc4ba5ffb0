/**
 * The options of `endpoint create` and `update` that are about containers. Any of them makes the workers containers.
 */
import { isAbsolute, join, resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { ContainerProfile, ContainerSettings } from '../contract/container.ts'
import { oneOf, sizeInBytes, spanInMs, wholeNumber, wordsOf } from './option-values.ts'

/** Some settings of containers. */
export type SomeContainerSettings = Partial<ContainerSettings>

/** An option with a value; `before` is what its earlier uses gave. */
export type ContainerOption = {
  readonly flags: string
  readonly description: string
  readonly settings: (text: string, before: SomeContainerSettings) => SomeContainerSettings
}

/** An option without a value. `name` is what the parser calls it, `given` what it then holds. */
export type ContainerSwitch = {
  readonly flags: string
  readonly description: string
  readonly name: string
  readonly given: boolean
  readonly settings: SomeContainerSettings
}

const PROFILES = ['safe', 'strict', 'trusted'] as const satisfies readonly ContainerProfile[]
const PULLS = ['missing', 'always', 'never'] as const satisfies readonly ContainerSettings['pull'][]

/** The options with a value, in the order of the help. */
export const CONTAINER_OPTIONS: readonly ContainerOption[] = [
  {
    flags: '--on <machine>',
    description: 'machine for the containers: a name (see `drydock machine`), any, or "this machine"',
    settings: (machine) => ({ machine }),
  },
  {
    flags: '--placement <constraint>',
    description: 'which nodes of a swarm may run them, like node.labels.zone==lab; may be repeated',
    settings: (text, { placement = [] }) => ({ placement: [...placement, text] }),
  },
  { flags: '--image <image>', description: 'image that the workers run', settings: (image) => ({ image }) },
  {
    flags: '--python <version>',
    description: 'Python of the worker image, like 3.12; your own image has its own',
    settings: (python) => ({ python }),
  },
  {
    flags: '--package <requirement>',
    description: 'Python package to add to the worker image, like "torch>=2.5"; may be repeated',
    settings: (text, { packages = [] }) => ({ packages: [...packages, text] }),
  },
  {
    flags: '--system-package <name>',
    description: 'Debian package to add to the worker image, like ffmpeg; may be repeated',
    settings: (text, { systemPackages = [] }) => ({ systemPackages: [...systemPackages, text] }),
  },
  {
    flags: '--entrypoint <words...>',
    description: 'replaces the image\'s entry point, like "python3 -u worker.py"',
    settings: (text, { entrypoint = [] }) => ({ entrypoint: [...entrypoint, ...wordsOf(text)] }),
  },
  {
    flags: '--args <words...>',
    description: "replaces the image's command; quote all of it if a word begins with a dash",
    settings: (text, { args = [] }) => ({ args: [...args, ...wordsOf(text)] }),
  },
  {
    flags: '--gpu <kind>',
    description: 'GPU: ANY, a group like ADA_24, or a part of its name',
    settings: (gpu) => ({ gpu }),
  },
  {
    flags: '--gpu-count <cards>',
    description: 'GPUs per worker',
    settings: (text) => ({ gpuCount: wholeNumber(text) }),
  },
  {
    flags: '--volume <host:container[:ro]>',
    description: 'folder of this machine, or named volume, to mount in the container; may be repeated',
    settings: (text, { volumes = [] }) => ({ volumes: [...volumes, volumeOf(text)] }),
  },
  {
    flags: '--publish <port>',
    description: 'port of the container to publish on a free port of loopback; may be repeated',
    settings: (text, { ports = [] }) => ({ ports: [...ports, wholeNumber(text)] }),
  },
  {
    flags: '--cpu <spec>',
    description: 'CPUs and GB of memory, like cpu3c-2-4',
    settings: (cpu) => ({ cpu }),
  },
  {
    flags: '--memory <size>',
    description: 'memory limit, like 2g',
    settings: (text) => ({ memoryBytes: sizeInBytes(text) }),
  },
  {
    flags: '--disk <size>',
    description: 'disk limit of a container, if the engine supports it',
    settings: (text) => ({ diskBytes: sizeInBytes(text) }),
  },
  {
    flags: '--shm <size>',
    description: 'size of /dev/shm, like 1g',
    settings: (text) => ({ shmBytes: sizeInBytes(text) }),
  },
  {
    flags: '--profile <profile>',
    description: 'what containers may do: safe, strict or trusted',
    settings: (text) => ({ profile: oneOf(PROFILES, text) }),
  },
  {
    flags: '--cap-add <name>',
    description: 'capability to keep, like SYS_NICE; may be repeated',
    settings: (text, { capabilities = [] }) => ({ capabilities: [...capabilities, text.toUpperCase()] }),
  },
  {
    flags: '--pull <when>',
    description: 'pull the image: missing, always (at most every 5 min) or never',
    settings: (text) => ({ pull: oneOf(PULLS, text) }),
  },
  {
    flags: '--registry-auth <name>',
    description: 'credentials of a private registry, see `drydock registry`',
    settings: (registryAuth) => ({ registryAuth }),
  },
  {
    flags: '--keep-paused <duration>',
    description: 'how long an idle worker stays paused before it ends, in seconds or like 5min',
    settings: (text) => ({ keepPausedMs: spanInMs(text) }),
  },
  {
    flags: '--prepared <containers>',
    description: 'containers that are created in advance',
    settings: (text) => ({ prepared: wholeNumber(text) }),
  },
]

/** The options without a value. */
export const CONTAINER_SWITCHES: readonly ContainerSwitch[] = [
  {
    flags: '--container',
    description: 'run in containers, with the worker image of Drydock if none is named',
    name: 'container',
    given: true,
    settings: {},
  },
  {
    flags: '--gpu-shared',
    description: 'share a GPU with other workers that share',
    name: 'gpuShared',
    given: true,
    settings: { gpuShared: true },
  },
  {
    flags: '--no-egress',
    description: 'containers can reach only this service, no other machine',
    name: 'egress',
    given: false,
    settings: { egress: false },
  },
]

/** Makes the folders of volumes absolute; what has no slash and begins with no dot is the name of a volume. */
export function withAbsoluteVolumes(
  settings: SomeContainerSettings,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): SomeContainerSettings {
  if (settings.volumes === undefined) return settings
  const absolute = (source: string) => {
    if (source === '~' || source.startsWith('~/')) return join(home, source.slice(1))
    return isAbsolute(source) || !/^\.|[/\\]/.test(source) ? source : resolve(cwd, source)
  }
  return { ...settings, volumes: settings.volumes.map((each) => ({ ...each, source: absolute(each.source) })) }
}

// From the end: a folder of Windows has a colon of its own.
function volumeOf(text: string): ContainerSettings['volumes'][number] {
  const [, source, target, mode] = /^(.+?):(\/[^:]*)(?::(ro|rw))?$/.exec(text) ?? []
  if (source === undefined || target === undefined)
    throw new InvalidArgumentError('Give HOST:CONTAINER or HOST:CONTAINER:ro, like ./models:/models:ro.')
  return { source, target, readOnly: mode === 'ro' }
}
