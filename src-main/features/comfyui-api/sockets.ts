/**
 * Reports progress and ends of prompts to the ComfyUI clients that sent them, once these are durable. A client that
 * reconnects gets the messages that it missed.
 */
import { limit } from '../../contract/limits.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { isRecord } from '../../lib/json/plain.ts'
import type { JobChange, Storage } from '../../storage/storage.ts'
import type { QueueCounts } from '../jobs/queue/queue-counts.ts'
import { isFinal } from '../jobs/rules/transitions.ts'
import { isSocketPicture } from '../workflows/rules/runs/socket-picture.ts'
import { encodePicture, encodePreview } from './encode-preview.ts'
import { readJobProgress } from './progress.ts'
import { promptOfJob, queueRemaining, readEnd } from './prompts.ts'
import {
  endMessages,
  executingMessage,
  type Message,
  type Progress,
  progressMessages,
  startMessage,
  statusMessage,
} from './rules/messages.ts'

export type Connection = { readonly send: (data: string | Uint8Array) => void }

type Client = Connection & { readonly endpointId: string; readonly clientId: string; hasPreviewMetadata: boolean }

type Missed = { readonly messages: string[]; readonly cancel: () => void }

type Deps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly counts: QueueCounts
}

export function createComfyuiSockets({ storage, clock, log, counts }: Deps) {
  const clients = new Map<string, Set<Client>>()
  const missed = new Map<string, Map<string, Missed>>()
  let missedClients = 0
  const sent = new Map<string, Progress>()
  const changed = new Set<string>()
  let last: Promise<void> = Promise.resolve()

  const remaining = (endpointId: string) => queueRemaining(counts, endpointId)
  const ofEndpoint = (endpointId: string) => [...(clients.get(endpointId) ?? [])]
  const hasListeners = (endpointId: string) => clients.has(endpointId) || missed.has(endpointId)

  function enqueue(act: () => Promise<void>): void {
    last = last.then(act).catch((error: unknown) => log.warn('a message to a ComfyUI client was not sent', { error }))
  }

  function tell(endpointId: string, clientId: string | undefined, messages: readonly Message[]): void {
    for (const message of messages) {
      const text = JSON.stringify(message)
      const to = ofEndpoint(endpointId).filter((client) => clientId === undefined || client.clientId === clientId)
      for (const client of to) client.send(text)
      const isLasting = !message.type.startsWith('progress')
      if (to.length === 0 && clientId !== undefined && isLasting) keep(endpointId, clientId, text)
    }
  }

  function keep(endpointId: string, clientId: string, text: string): void {
    const { messages } = missed.get(endpointId)?.get(clientId) ?? {}
    if (messages !== undefined && messages.length < limit('comfyuiMissedMessages')) messages.push(text)
  }

  function keepFor(endpointId: string, clientId: string): void {
    if (missedClients >= limit('comfyuiMissedClients')) return
    const cancel = clock.after(limit('comfyuiMissedMs'), () => void takeMissed(endpointId, clientId))
    const ofThis = missed.get(endpointId) ?? new Map<string, Missed>()
    missed.set(endpointId, ofThis.set(clientId, { messages: [], cancel }))
    missedClients += 1
  }

  function takeMissed(endpointId: string, clientId: string): readonly string[] {
    const ofThis = missed.get(endpointId)
    const found = ofThis?.get(clientId)
    if (ofThis === undefined || found === undefined) return []
    found.cancel()
    ofThis.delete(clientId)
    missedClients -= 1
    if (ofThis.size === 0) missed.delete(endpointId)
    return found.messages
  }

  function tellStatus(endpointId: string): void {
    tell(endpointId, undefined, [statusMessage(remaining(endpointId))])
  }

  async function tellChange({ endpointId, jobId, event, to }: JobChange): Promise<void> {
    if (event === 'progress') changed.delete(jobId)
    const promptId = promptOfJob(jobId)
    if (promptId === undefined) return
    await storage.durable()
    if (event === 'progress') await tellProgress(endpointId, jobId, promptId)
    else {
      if (event === 'claim') {
        sent.delete(jobId)
        tell(endpointId, storage.comfyuiPrompts.clientOf(jobId), [startMessage(promptId, clock.now())])
      }
      if (to !== 'IN_PROGRESS') sent.delete(jobId)
      // Clients read the history once the queue is empty, so `tellEnd` reports that after it is written.
      if (!isFinal(to)) tellStatus(endpointId)
    }
  }

  async function tellProgress(endpointId: string, jobId: string, promptId: string): Promise<void> {
    const clientId = storage.comfyuiPrompts.clientOf(jobId)
    if (clientId === undefined) return
    const progress = await readJobProgress(storage, storage.jobs.find(jobId))
    if (progress === undefined) return
    const before = sent.get(jobId)
    sent.set(jobId, progress)
    tell(endpointId, clientId, progressMessages(before, progress, { promptId, now: clock.now() }))
    if (progress.preview === undefined || progress.preview === before?.preview) return
    for (const client of ofEndpoint(endpointId).filter((one) => one.clientId === clientId)) {
      const options = { promptId, node: progress.node, withMetadata: client.hasPreviewMetadata }
      const bytes = encodePreview(progress.preview, options)
      if (bytes !== undefined) client.send(bytes)
    }
  }

  /** As the node that made them would, while the prompt runs. */
  async function sendPictures(endpointId: string, clientId: string, runId: string): Promise<void> {
    const promptId = promptOfJob(runId)
    if (promptId === undefined) return
    for (const { asset, filename, mediaType, node } of storage.runs.get(runId)?.results ?? []) {
      const picture = isSocketPicture(filename) ? await storage.assetFiles.read(asset) : undefined
      if (picture === undefined || node === undefined) continue
      tell(endpointId, clientId, [executingMessage(promptId, node)])
      for (const client of ofEndpoint(endpointId).filter((one) => one.clientId === clientId))
        client.send(encodePicture(mediaType, picture, { promptId, node, withMetadata: client.hasPreviewMetadata }))
    }
  }

  async function tellEnd(endpointId: string, runId: string): Promise<void> {
    await storage.durable()
    const stored = storage.comfyuiPrompts.head(runId)
    const ended = stored && readEnd({ storage }, stored)
    if (stored === undefined || ended === undefined) return
    const { clientId } = stored
    if (clientId !== undefined) {
      await sendPictures(endpointId, clientId, runId)
      tell(endpointId, clientId, endMessages(ended.promptId, ended.end, ended.endedAt))
    }
    tellStatus(endpointId)
  }

  storage.onCommit((changes) => {
    for (const change of changes) {
      if (!hasListeners(change.endpointId)) {
        if (change.type === 'job' && change.event !== 'progress') sent.delete(change.jobId)
        continue
      }
      if (change.type === 'run' && change.event === 'results') enqueue(() => tellEnd(change.endpointId, change.runId))
      if (change.type !== 'job') continue
      if (change.event === 'progress') {
        if (changed.has(change.jobId)) continue
        changed.add(change.jobId)
      }
      enqueue(() => tellChange(change))
    }
  })

  return {
    join(endpointId: string, clientId: string, connection: Connection) {
      const client: Client = { ...connection, endpointId, clientId, hasPreviewMetadata: false }
      clients.set(endpointId, (clients.get(endpointId) ?? new Set()).add(client))
      client.send(JSON.stringify(statusMessage(remaining(endpointId), clientId)))
      for (const text of takeMissed(endpointId, clientId)) client.send(text)
      // ComfyUI's server does this too when a client reconnects.
      for (const [jobId, { node = null }] of sent) {
        const promptId = promptOfJob(jobId)
        if (promptId !== undefined && storage.comfyuiPrompts.clientOf(jobId) === clientId)
          client.send(JSON.stringify(executingMessage(promptId, node)))
      }
      return {
        hear(text: string) {
          const message = readMessage(text)
          if (message?.type !== 'feature_flags') return
          client.hasPreviewMetadata = isRecord(message.data) && message.data.supports_preview_metadata === true
          client.send(JSON.stringify({ type: 'feature_flags', data: FEATURES }))
        },
        leave() {
          const all = clients.get(endpointId)
          all?.delete(client)
          if (all?.size === 0) clients.delete(endpointId)
          if (ofEndpoint(endpointId).some((other) => other.clientId === clientId)) return
          keepFor(endpointId, clientId)
        },
      }
    },
    close() {
      for (const ofThis of missed.values()) for (const { cancel } of ofThis.values()) cancel()
      missed.clear()
    },
  }
}

export const FEATURES = { supports_preview_metadata: true, max_upload_size: limit('comfyuiUploadBytes') }

function readMessage(text: string): { readonly type: unknown; readonly data: unknown } | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return isRecord(message) ? { type: message.type, data: message.data } : undefined
  } catch {
    return undefined
  }
}
