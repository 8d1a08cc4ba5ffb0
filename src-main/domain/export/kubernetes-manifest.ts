/** What all manifests of an endpoint for Kubernetes share: their form, names, labels and units. */
import type { EndpointView } from '../../contract/endpoint.ts'
import { GIB, MIB, SECOND_MS } from '../../contract/units.ts'

/** One object of Kubernetes as it is written; tests hold each kind against its published schema. */
export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** What of an endpoint is exported. */
export type Exported = Omit<EndpointView, 'url' | 'state' | 'createdAt' | 'updatedAt'>

/** Names of its objects. The prefix, as a Service must begin with a letter and an id need not. */
export const namesOf = (id: string) =>
  ({
    /** Of every object of which there is one; its Secret holds what the pods get. */
    all: `drydock-${id}`,
    /** The Secret with the key by which the scaler reads the queue. No pod gets it. */
    queueKey: `drydock-${id}-queue`,
  }) as const

/** Labels by which the objects find the pods of an endpoint. */
export const podLabels = (id: string): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': 'drydock-worker',
  'app.kubernetes.io/instance': id,
})

/** The metadata of an object of the endpoint. */
export const metadata = ({ id }: Pick<Exported, 'id'>, name = namesOf(id).all) => ({
  name,
  labels: { ...podLabels(id), 'app.kubernetes.io/managed-by': 'drydock' },
})

/** Letters of a name that are kept: names have 63 at most, and a number may follow. */
const KEPT_LETTERS = 40

/** The name of an object that stands for something with a name of its own, like a registry or a folder: its end. */
export function objectName(kind: string, name: string): string {
  const letters = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(-KEPT_LETTERS - 1)
  return `drydock-${kind}-${letters.replace(/^-|-$/g, '')}`.replace(/-$/, '')
}

/** Bytes as a quantity of Kubernetes, in its largest whole unit. */
export function quantity(bytes: number): string {
  if (bytes % GIB === 0) return `${bytes / GIB}Gi`
  return bytes % MIB === 0 ? `${bytes / MIB}Mi` : `${bytes}`
}

/** A span in the whole seconds that Kubernetes counts, rounded up. */
export const wholeSeconds = (ms: number): number => Math.ceil(ms / SECOND_MS)

/** Whether its pods take jobs from the queue, and do not answer requests themselves. */
export const takesJobs = ({ loadBalanced }: Pick<Exported, 'loadBalanced'>): boolean => loadBalanced === undefined
