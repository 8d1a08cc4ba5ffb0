/**
 * Snapshots of ComfyUI-Manager. Older ones have no `cnr_custom_nodes` or `pips`; those in YAML are below `custom_nodes`.
 * Source: docs/spec/worker-images.md, 1.4.
 */
import type { LockedNodes, WorkflowLock } from '../../../../contract/worker-images.ts'
import { isRecord } from '../../../../lib/json/plain.ts'
import { foldedName, folderOf, plainAddress, registrySource, remoteSource } from '../source-address.ts'
import {
  type Environment,
  type Fields,
  type ForeignNode,
  type Format,
  isSource,
  named,
  pinsOf,
  textOf,
} from './environment.ts'

const KEYS = ['git_custom_nodes', 'cnr_custom_nodes', 'file_custom_nodes'] as const

export const asSnapshot = (data: unknown): Fields | undefined =>
  isRecord(data) && KEYS.some((key) => Object.hasOwn(data, key)) ? data : undefined

const isOf = (data: Fields): boolean =>
  (asSnapshot(data) ?? asSnapshot(data.custom_nodes)) !== undefined && !Array.isArray(data.models)

function read(data: Fields): Environment {
  const found = asSnapshot(data) ?? asSnapshot(data.custom_nodes) ?? {}
  return { comfyui: textOf(found.comfyui), nodes: nodesOf(found), models: [], requirements: [] }
}

export function nodesOf({ git_custom_nodes, cnr_custom_nodes }: Fields): readonly ForeignNode[] {
  const cloned = entriesOf(git_custom_nodes).flatMap(([address, entry]) => readCloned(address, entry) ?? [])
  const published = entriesOf(cnr_custom_nodes).flatMap(([id, version]) => readPublished(id, version) ?? [])
  return [...cloned, ...published]
}

const entriesOf = (value: unknown) => (isRecord(value) ? Object.entries(value) : [])

function readCloned(address: string, entry: unknown): ForeignNode | undefined {
  if (!isRecord(entry) || entry.disabled === true) return undefined
  const hash = textOf(entry.hash)
  const source = hash === undefined ? undefined : remoteSource(address, hash)
  return source === undefined ? undefined : { name: folderOf(address), source }
}

function readPublished(id: string, version: unknown): ForeignNode | undefined {
  const source = typeof version === 'string' ? registrySource(id, version) : undefined
  return source === undefined ? undefined : { name: id, source }
}

function write(lock: WorkflowLock, before: Fields | undefined) {
  const inner = asSnapshot(before) === undefined ? asSnapshot(before?.custom_nodes) : undefined
  const { data, left } = changedSnapshot(lock, inner ?? before)
  const pips = Object.fromEntries(pinsOf(lock).map((pin) => [pin, '']))
  const whole =
    before === undefined ? { ...data, pips } : inner !== undefined ? { ...before, custom_nodes: data } : data
  return { data: whole, left }
}

export function changedSnapshot(lock: WorkflowLock, before: Fields | undefined) {
  const isPublished = ({ source }: LockedNodes) => 'registry' in source
  const isCloned = ({ source }: LockedNodes) => 'repository' in source
  const data = {
    ...(before ?? { file_custom_nodes: [] }),
    comfyui: lock.comfyui.commit,
    git_custom_nodes: changedEntries(before?.git_custom_nodes, lock.nodes.filter(isCloned), GIT),
    cnr_custom_nodes: changedEntries(before?.cnr_custom_nodes, lock.nodes.filter(isPublished), PUBLISHED),
  }
  return { data, left: named(lock.nodes.filter((node) => !isPublished(node) && !isCloned(node))) }
}

type Kind = {
  readonly read: (key: string, entry: unknown) => ForeignNode | undefined
  readonly isOf: (key: string, node: LockedNodes) => boolean
  readonly entry: (node: LockedNodes, before: unknown) => readonly [key: string, entry: unknown]
}

const GIT: Kind = {
  read: readCloned,
  isOf: (key, { source }) => 'repository' in source && plainAddress(source.repository) === plainAddress(key),
  entry: ({ source }, before) =>
    'repository' in source
      ? [source.repository, { ...(isRecord(before) ? before : {}), hash: source.commit, disabled: false }]
      : ['', undefined],
}

const PUBLISHED: Kind = {
  read: readPublished,
  isOf: (key, { source }) => 'registry' in source && foldedName(source.registry) === foldedName(key),
  entry: ({ source }) => ('registry' in source ? [source.registry, source.version] : ['', undefined]),
}

function changedEntries(
  before: unknown,
  nodes: readonly LockedNodes[],
  { read: readOne, isOf: isEntryOf, entry }: Kind,
) {
  const left = [...nodes]
  const kept = entriesOf(before).flatMap(([key, one]) => {
    const understood = readOne(key, one)
    if (understood === undefined) return [[key, one] as const]
    const at = left.findIndex((node) => isEntryOf(key, node))
    const [node] = at < 0 ? [] : left.splice(at, 1)
    if (node === undefined) return []
    return [[key, isSource(understood.source, node.source) ? one : entry(node, one)[1]] as const]
  })
  return Object.fromEntries([...kept, ...left.map((node) => entry(node, undefined))])
}

export const snapshot: Format = { isOf, read, write }
