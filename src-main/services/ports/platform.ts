/** What is stored for the platform's tools beside endpoints: templates, network volumes and calls of tasks. */
import type { NetworkVolume, Template } from '../../contract/platform.ts'

/** A template as stored. `createdAt` is wall ms. */
export type StoredTemplate = {
  readonly id: string
  readonly name: string
  readonly settings: Omit<Template, 'id' | 'name'>
  readonly createdAt: number
}

/** A network volume as stored. `createdAt` is wall ms. */
export type StoredVolume = Omit<NetworkVolume, 'size'> & {
  readonly sizeGb: number
  /** Name of its folder among those of volumes; it stays when the volume is renamed. */
  readonly folder: string
  readonly createdAt: number
}

/** Records of one kind, oldest first. Methods that write are called inside a Writer's work only. */
type Records<Stored> = {
  readonly all: () => readonly Stored[]
  readonly get: (id: string) => Stored | undefined
  /** Adds it, or replaces the one with its id; names are unique. */
  readonly save: (record: Stored) => void
  readonly remove: (id: string) => void
}

/** A call of a task that was begun and not ended. Times are wall ms. */
export type StoredTaskCall = {
  /** Random; also the idempotency key of its job. */
  readonly id: string
  readonly endpointId: string
  readonly tokenHash: Uint8Array
  /** When its time is over; undefined: nobody has set one. */
  readonly deadlineAt: number | undefined
  readonly createdAt: number
}

/** Calls of tasks. Methods that write are called inside a Writer's work only. */
type TaskCalls = {
  readonly get: (id: string) => StoredTaskCall | undefined
  readonly add: (call: StoredTaskCall) => void
  readonly setDeadline: (set: { id: string; at: number }) => void
  readonly remove: (id: string) => void
  /** Removes those that were begun before; their clients are gone. */
  readonly trim: (before: number) => void
}

/** Templates, network volumes and calls of tasks. */
export type PlatformStore = {
  readonly templates: Records<StoredTemplate>
  readonly volumes: Records<StoredVolume>
  readonly taskCalls: TaskCalls
}
