import { present } from '../../lib/json/plain.ts'
/**
 * Pure service options of a worker: its container as a service with one replica that is never restarted. Limits:
 * docs/spec/machines.md, 4.
 */
import type { containerOptions } from '../docker/container-options.ts'
import type { ServiceSpec } from './part-services.ts'

export type ImageProgram = { readonly entrypoint: readonly string[]; readonly command: readonly string[] }

export type WorkerServicePlan = {
  readonly name: string
  readonly container: ReturnType<typeof containerOptions>
  readonly image: string
  readonly program: ImageProgram
  readonly secret: { readonly id: string; readonly name: string }
  readonly network: string
  readonly constraints: readonly string[]
  readonly cards: { readonly kind: string; readonly count: number } | undefined
  readonly reservedBytes: number | undefined
  readonly environment: Readonly<Record<string, string>>
  readonly graceMs: number
}

const NS_OF_MS = 1e6
const ANYBODY_MAY_WRITE = 0o1777
const ALL_MAY_READ = 0o444
const SECRET = 'environment'
const NO_NEW_PRIVILEGES = 'no-new-privileges'

// Variables are not part of the service, so that inspecting it does not reveal them.
const START = `. /run/secrets/${SECRET}; exec "$@"`

/**
 * Secret content: a POSIX shell script that sets variables.
 * @param env as NAME=value
 */
export function environmentScript(env: readonly string[]): string {
  return env
    .map((variable) => {
      const at = variable.indexOf('=')
      return `export ${variable.slice(0, at)}='${variable.slice(at + 1).replaceAll("'", `'\\''`)}'\n`
    })
    .join('')
}

export function workerService(plan: WorkerServicePlan): ServiceSpec {
  const { container, secret, cards, reservedBytes } = plan
  const { HostConfig: host = {}, Labels = {} } = container
  const profile = {
    ...present({ CapabilityDrop: host.CapDrop, CapabilityAdd: host.CapAdd }),
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
        ...present({ User: container.User, Dir: container.WorkingDir }),
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

// As the engine combines them; explicit, because a shell runs first.
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
