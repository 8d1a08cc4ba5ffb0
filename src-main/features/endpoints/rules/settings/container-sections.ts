import { GPU_GROUPS } from '../../../../contract/container.ts'
import type { EndpointConfig } from '../../../../contract/endpoint.ts'
import { GIB, MIB } from '../../../../lib/units.ts'
import type { SettingField, SettingSection } from './setting.ts'

const inContainers = ({ container }: EndpointConfig) => container !== undefined
const ofWorkerImage = ({ container }: EndpointConfig) => container !== undefined && container.image === undefined
const ofOwnImage = ({ container }: EndpointConfig) => container?.image !== undefined
const withGpu = ({ container }: EndpointConfig) => container?.gpu !== undefined
const LINES = { kind: 'lines', of: 'text' } as const
const OPTIONAL_LINES = { ...LINES, optional: true } as const

const CONTAINER: readonly SettingField[] = [
  {
    path: 'container',
    label: 'Run in containers',
    help: 'Each worker gets its own container. When off, workers are processes on this machine.',
    input: { kind: 'switch' },
    startsWorkers: true,
  },
  {
    path: 'container.machine',
    label: 'Where workers run',
    help: 'This machine, one that was added, or any with capacity, preferring the one with the fewest workers.',
    input: { kind: 'machine' },
    option: {
      flags: '--on <machine>',
      description: 'machine for the containers: a name (see `drydock machine`), any, or "this machine"',
    },
    applies: inContainers,
  },
  {
    path: 'container.placement',
    label: 'Nodes of a swarm',
    help: 'Constraints that a node must meet, one per line, as Docker writes them: node.labels.zone==lab.',
    input: OPTIONAL_LINES,
    option: {
      flags: '--placement <constraint>',
      description: 'swarm nodes that may run the containers, like node.labels.zone==lab; may be repeated',
    },
    applies: inContainers,
  },
  {
    path: 'container.image',
    label: 'Image',
    help: 'An image that runs workers itself.',
    missing: 'the worker image of Drydock, which runs the handler file',
    input: { kind: 'text', mono: true },
    option: { flags: '--image <image>', description: 'image that the workers run' },
    applies: inContainers,
  },
  {
    path: 'container.pull',
    label: 'Pull',
    help: 'When to pull the image. Always means at most every five minutes.',
    input: {
      kind: 'choice',
      choices: [
        { value: 'missing', label: 'When it is missing' },
        { value: 'always', label: 'Always' },
        { value: 'never', label: 'Never' },
      ],
    },
    option: { flags: '--pull <when>', description: 'pull the image: missing, always (at most every 5 min) or never' },
    applies: ofOwnImage,
  },
  {
    path: 'container.registryAuth',
    label: 'Registry credentials',
    help: 'Stored credentials for a private registry. Add them with `drydock registry add`.',
    input: { kind: 'registry' },
    option: {
      flags: '--registry-auth <name>',
      description: 'credentials of a private registry, see `drydock registry`',
    },
    applies: ofOwnImage,
  },
  {
    path: 'container.entrypoint',
    label: 'Entry point',
    help: 'Replaces the entry point of the image, one argument per line.',
    input: OPTIONAL_LINES,
    option: {
      flags: '--entrypoint <words...>',
      description: 'replaces the image\'s entry point, like "python3 -u worker.py"',
    },
    applies: inContainers,
  },
  {
    path: 'container.args',
    label: 'Arguments',
    help: 'Replace the command of the image, one argument per line.',
    input: OPTIONAL_LINES,
    option: {
      flags: '--args <words...>',
      description: "replaces the image's command; quote all of it if a word begins with a dash",
    },
    applies: inContainers,
  },
  {
    path: 'container.python',
    label: 'Python',
    help: 'Version in the worker image, like 3.12.',
    missing: '3.11',
    input: { kind: 'text' },
    option: {
      flags: '--python <version>',
      description: 'Python of the worker image, like 3.12; your own image has its own',
    },
    applies: ofWorkerImage,
  },
  {
    path: 'container.packages',
    label: 'Python packages',
    help: 'Added to the worker image, one per line, like torch>=2.5.',
    input: LINES,
    option: {
      flags: '--package <requirement>',
      description: 'Python package to add to the worker image, like "torch>=2.5"; may be repeated',
    },
    applies: ofWorkerImage,
  },
  {
    path: 'container.systemPackages',
    label: 'Debian packages',
    help: 'Added to the worker image, one per line, like ffmpeg.',
    input: LINES,
    option: {
      flags: '--system-package <name>',
      description: 'Debian package to add to the worker image, like ffmpeg; may be repeated',
    },
    applies: ofWorkerImage,
  },
  {
    path: 'container.volumes',
    label: 'Volumes',
    help: 'Folders of this machine or named volumes, one per line: /models:/models:ro.',
    input: { kind: 'lines', of: 'volumes' },
    option: {
      flags: '--volume <host:container[:ro]>',
      description: 'folder of this machine, or named volume, to mount in the container; may be repeated',
    },
    applies: inContainers,
  },
  {
    path: 'container.cpu',
    label: 'CPU',
    help: 'Family, CPUs and GB of memory, like cpu3c-2-4.',
    missing: 'no limit',
    input: { kind: 'text', mono: true },
    option: { flags: '--cpu <spec>', description: 'CPUs and GB of memory, like cpu3c-2-4' },
    applies: inContainers,
  },
  {
    path: 'container.memoryBytes',
    label: 'Memory',
    help: 'A worker that uses more is killed as out of memory. Takes precedence over the memory of CPU.',
    missing: 'no limit',
    input: { kind: 'number', unit: 'GiB', factor: GIB },
    option: { flags: '--memory <size>', description: 'memory limit, like 2g' },
    applies: inContainers,
  },
  {
    path: 'container.shmBytes',
    label: 'Shared memory',
    help: 'Size of /dev/shm.',
    missing: '64 MiB, with a GPU 1 GiB',
    input: { kind: 'number', unit: 'MiB', factor: MIB },
    option: { flags: '--shm <size>', description: 'size of /dev/shm, like 1g' },
    applies: inContainers,
  },
  {
    path: 'container.diskBytes',
    label: 'Disk',
    help: 'Limit of what a container may write, if the engine supports it.',
    missing: 'no limit',
    input: { kind: 'number', unit: 'GiB', factor: GIB },
    option: { flags: '--disk <size>', description: 'disk limit of a container, if the engine supports it' },
    applies: inContainers,
  },
  {
    path: 'container.profile',
    label: 'Security profile',
    help: 'Safe drops all capabilities. Strict also makes its files read-only and runs it as nobody. Trusted drops nothing.',
    input: {
      kind: 'choice',
      choices: [
        { value: 'safe', label: 'Safe' },
        { value: 'strict', label: 'Strict' },
        { value: 'trusted', label: 'Trusted' },
      ],
    },
    option: { flags: '--profile <profile>', description: 'what containers may do: safe, strict or trusted' },
    applies: inContainers,
  },
  {
    path: 'container.capabilities',
    label: 'Capabilities',
    help: 'Kept even if the profile drops them, one per line, like SYS_NICE.',
    input: LINES,
    applies: inContainers,
  },
  {
    path: 'container.keepPausedMs',
    label: 'Keep paused for',
    help: 'An idle worker stays frozen this long before it ends, and wakes in a moment.',
    missing: '10 min, with a GPU 0',
    input: { kind: 'number', unit: 's', factor: 1000 },
    option: {
      flags: '--keep-paused <duration>',
      description: 'how long an idle worker stays paused before it ends, in seconds or like 5min',
    },
    applies: inContainers,
  },
  {
    path: 'container.prepared',
    label: 'Prepared',
    help: 'Containers created in advance. None with a GPU, or with an image that is always pulled.',
    input: { kind: 'number', unit: 'containers' },
    option: { flags: '--prepared <containers>', description: 'containers that are created in advance' },
    applies: inContainers,
  },
]

const GPU: readonly SettingField[] = [
  {
    path: 'container.gpu',
    label: 'GPU',
    help: 'ANY, a group by memory size, or a part of the name of a GPU. Empty: none.',
    input: {
      kind: 'text',
      optional: true,
      suggestions: ['ANY', ...Object.keys(GPU_GROUPS)],
      mayBeNone: true,
    },
    option: { flags: '--gpu <kind>', description: 'GPU: ANY, a group like ADA_24, a part of its name, or none' },
  },
  {
    path: 'container.gpuCount',
    label: 'GPUs per worker',
    help: 'All of the same model.',
    input: { kind: 'number', unit: 'GPUs' },
    option: { flags: '--gpu-count <number>', description: 'GPUs per worker' },
    applies: withGpu,
  },
  {
    path: 'container.gpuShared',
    label: 'Share GPUs',
    help: 'A worker may share a GPU with other workers that also share. Their memory on it is not isolated.',
    input: { kind: 'switch' },
    applies: withGpu,
  },
]

const NETWORK: readonly SettingField[] = [
  {
    path: 'container.egress',
    label: 'Network access',
    help: 'When off, a worker can reach only this service.',
    input: { kind: 'switch', unset: true },
  },
  {
    path: 'container.ports',
    label: 'Published ports',
    help: 'Container ports to publish on free loopback ports of this machine, one per line.',
    input: { kind: 'lines', of: 'numbers' },
    option: {
      flags: '--publish <port>',
      description: 'port of the container to publish on a free port of loopback; may be repeated',
    },
  },
]

const only = (fields: readonly SettingField[]) =>
  fields.map((field) => ({ ...field, applies: field.applies ?? inContainers }))

export const CONTAINER_SECTIONS: readonly SettingSection[] = [
  { id: 'container', title: 'Container', fields: CONTAINER },
  { id: 'gpu', title: 'GPU', fields: only(GPU) },
  { id: 'network', title: 'Network', fields: only(NETWORK) },
]
