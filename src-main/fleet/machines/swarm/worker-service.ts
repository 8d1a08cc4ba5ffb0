/**
 * What a swarm is asked for when a worker is made: what its container would be on one machine, as a service with one
 * replica that the swarm never starts again. Pure. What services do not know is said in docs/spec/machines.md, 4.
 */
import type { containerOptions } from '../../docker/container-options.ts'
import type { ServiceSpec } from './part-services.ts'

/** What an image runs by itself. */
export type ImageProgram = { readonly entrypoint: readonly string[]; readonly command: readonly string[] }

/** All that the service of a worker is made of. */
export type WorkerServicePlan = {
  readonly name: string
  /** What the container would be made with. */
  readonly container: ReturnType<typeof containerOptions>
  /** The image as every node is to run it: by its digest, or by its id. */
  readonly image: string
  readonly program: ImageProgram
  /** The secret with the variables. */
  readonly secret: { readonly id: string; readonly name: string }
  /** Id of its network. */
  readonly network: string
  readonly constraints: readonly string[]
  /** Cards: which kind of generic resource, and how many. */
  readonly cards: { readonly kind: string; readonly count: number } | undefined
  /** Memory that the node must have free, bytes; undefined: it need not. */
  readonly reservedBytes: number | undefined
  /** Variables that the engine itself has to see. */
  readonly environment: Readonly<Record<string, string>>
  readonly graceMs: number
}

const NS_OF_MS = 1e6
const ANYBODY_MAY_WRITE = 0o1777
const ALL_MAY_READ = 0o444
const SECRET = 'environment'
const NO_NEW_PRIVILEGES = 'no-new-privileges'

// The variables are no part of the service, so that nobody who looks at it sees them.
const START = `. /run/secrets/${SECRET}; exec "$@"`

/** The content of the secret: a script of the POSIX shell that sets the variables. @param env as NAME=value */
export function environmentScript(env: readonly string[]): string {
  return env
    .map((variable) => {
      const at = variable.indexOf('=')
      return `export ${variable.slice(0, at)}='${variable.slice(at + 1).replaceAll("'", `'\\''`)}'\n`
    })
    .join('')
}

/** The service of a worker, as the engine is asked for it. */
export function workerService(plan: WorkerServicePlan): ServiceSpec {
  const { container, secret, cards, reservedBytes } = plan
  const { HostConfig: host = {}, Labels = {} } = container
  const profile = {
    ...(host.CapDrop === undefined ? {} : { CapabilityDrop: host.CapDrop }),
    ...(host.CapAdd === undefined ? {} : { CapabilityAdd: host.CapAdd }),
    ...(host.SecurityOpt?.includes(NO_NEW_PRIVILEGES) ? { Privileges: { NoNewPrivileges: true } } : {}),
    ...(host.ReadonlyRootfs === true ? { ReadOnly: true } : {}),
  }
  return {
    Name: plan.name,
    Labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: plan.image,
        Labels,
        Command: ['/bin/sh', '-c', START, 'sh', ...commandOf(plan)],
        Env: Object.entries(plan.environment).map(([name, value]) => `${name}=${value}`),
        ...(container.User === undefined ? {} : { User: container.User }),
        ...(container.WorkingDir === undefined ? {} : { Dir: container.WorkingDir }),
        Init: true,
        ...profile,
        Mounts: mountsOf(plan),
        Secrets: [
          {
            SecretID: secret.id,
            SecretName: secret.name,
            File: { Name: SECRET, UID: '0', GID: '0', Mode: ALL_MAY_READ },
          },
        ],
        StopGracePeriod: plan.graceMs * NS_OF_MS,
      },
      Resources: {
        Limits: { NanoCPUs: host.NanoCpus, MemoryBytes: host.Memory, Pids: host.PidsLimit },
        Reservations: {
          ...(reservedBytes === undefined ? {} : { MemoryBytes: reservedBytes }),
          ...(cards === undefined
            ? {}
            : { GenericResources: [{ DiscreteResourceSpec: { Kind: cards.kind, Value: cards.count } }] }),
        },
      },
      RestartPolicy: { Condition: 'none' },
      Placement: { Constraints: [...plan.constraints] },
      Networks: [{ Target: plan.network }],
      LogDriver: { Name: host.LogConfig?.Type, Options: host.LogConfig?.Config },
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
  }
}

// As the engine puts them together for a container. A shell reads the variables first, so they have to be said.
function commandOf({ container: { Entrypoint, Cmd }, program }: WorkerServicePlan): readonly string[] {
  if (Entrypoint !== undefined) return [...[Entrypoint].flat(), ...(Cmd ?? [])]
  return [...program.entrypoint, ...(Cmd ?? program.command)]
}

function mountsOf({ container: { HostConfig: host = {} } }: WorkerServicePlan): readonly object[] {
  const { ShmSize, Tmpfs, Mounts = [] } = host
  return [
    ...(ShmSize === undefined ? [] : [inMemory('/dev/shm', ShmSize)]),
    ...Object.keys(Tmpfs ?? {}).map((target) => inMemory(target, undefined)),
    ...Mounts,
  ]
}

const inMemory = (Target: string, bytes: number | undefined) => ({
  Type: 'tmpfs',
  Target,
  TmpfsOptions: { Mode: ANYBODY_MAY_WRITE, ...(bytes === undefined ? {} : { SizeBytes: bytes }) },
})
