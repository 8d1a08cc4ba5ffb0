/**
 * The environment of a pod: values where they are no secret, else where they come from. Of a secret nothing but its
 * name is ever written. Source: docs/spec/kubernetes-export.md, 2.
 */
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { limit } from '../../contract/limits.ts'
import { workerEnvironment } from '../../contract/worker-protocol.ts'
import { targetOf } from '../app/app-target.ts'
import { listeningPorts, listeningVariables } from '../load-balanced/listening-variables.ts'
import { SECRET_REFERENCE } from '../platform/secret-reference.ts'
import { type Exported, namesOf, takesJobs } from './kubernetes-manifest.ts'

/** A variable of a container as Kubernetes reads it. */
export type PodVariable =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly valueFrom: object }

/** What the environment is made of, beside the endpoint. */
export type EnvironmentFacts = {
  /** Address of the service as the cluster reaches it, without a slash at the end. */
  readonly serviceUrl: string
  /** Names of the variables of the environment of its app. */
  readonly variables: readonly string[]
}

/** Variables that a pod gets from itself. */
const OF_THE_POD: ReadonlySet<string> = new Set(['RUNPOD_POD_ID', 'RUNPOD_POD_HOSTNAME'])
/** Where a worker that takes jobs finds them, and who it is there. */
const FOR_JOBS = /^RUNPOD_(?:WEBHOOK_|PING_INTERVAL$|AI_API_KEY$)/
const TOKEN = 'RUNPOD_AI_API_KEY'
/** Where a worker that calls other endpoints finds them. */
const FOR_CALLS: ReadonlySet<string> = new Set(['RUNPOD_ENDPOINT_BASE_URL', 'RUNPOD_API_BASE_URL', 'SVC_BASE_URL'])
const KEYS_FOR_CALLS: ReadonlySet<string> = new Set(['SVC_API_KEY', 'RUNPOD_API_KEY'])

/** The variables of a pod, in the order in which workers get them here. */
export function podEnvironment(endpoint: Exported, facts: EnvironmentFacts): readonly PodVariable[] {
  const { id, loadBalanced, callsOthers } = endpoint
  const secrets = new Set(secretNames(endpoint, facts))
  const isNeeded = (name: string) =>
    takesJobs(endpoint) || (!FOR_JOBS.test(name) && (callsOthers || !FOR_CALLS.has(name)))
  const all = {
    PYTHONUNBUFFERED: '1',
    ...workerVariables(endpoint, facts),
    ...(loadBalanced && listeningVariables(listeningPorts(loadBalanced, endpoint.env))),
  }
  return Object.entries(all)
    .filter(([name]) => isNeeded(name))
    .map(([name, value]) => {
      if (OF_THE_POD.has(name)) return { name, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }
      if (!secrets.has(name)) return { name, value: literally(value) }
      return { name, valueFrom: { secretKeyRef: { name: namesOf(id).all, key: name } } }
    })
}

/** The variables whose values are to be put into the endpoint's Secret, as they must not be in a file. */
export function secretNames(endpoint: Exported, { variables }: EnvironmentFacts): readonly string[] {
  const { env, callsOthers } = endpoint
  return [
    ...(takesJobs(endpoint) ? [TOKEN] : []),
    ...(callsOthers ? KEYS_FOR_CALLS : []),
    ...new Set([...Object.keys(env).filter((name) => isSecret(name, env[name] ?? '')), ...variables]),
  ]
}

/**
 * A text as Kubernetes is to take it, which puts values of variables in the place of `$(NAME)` in variables, command
 * and arguments. Source: Kubernetes, "Define dependent environment variables".
 */
export const literally = (text: string): string => text.replace(/\$(?=[$(])/g, '$$$$')

function workerVariables(endpoint: Exported, { serviceUrl, variables }: EnvironmentFacts): Record<string, string> {
  const { id, concurrency, container, workflows, app, env, callsOthers } = endpoint
  return workerEnvironment({
    workerBaseUrl: serviceUrl,
    serviceBaseUrl: serviceUrl,
    endpointId: id,
    // By reference, all of them.
    workerId: '',
    workerToken: '',
    apiKey: callsOthers ? '' : undefined,
    concurrency,
    pingIntervalMs: limit('pingIntervalMs'),
    systemChecks: false,
    hasGpu: container?.gpu !== undefined,
    workflowServer: workflows?.server,
    app: targetOf(app),
    env: { ...env, ...Object.fromEntries(variables.map((name) => [name, ''])) },
  })
}

const SECRET_NAME = /(?:^|_)(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|AUTH)S?(?:_|$)/i
const ADDRESS_WITH_PASSWORD = /:\/\/[^/\s]*:[^/\s]*@/

// One too many costs a line in a Secret, one too few a secret.
function isSecret(name: string, value: EndpointConfig['env'][string]): boolean {
  return SECRET_NAME.test(name) || ADDRESS_WITH_PASSWORD.test(value) || value.search(SECRET_REFERENCE) !== -1
}
