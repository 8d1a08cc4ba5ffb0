import { setTimeout as pause } from 'node:timers/promises'
import { LOOP_DETECTED } from '../../../../src-main/features/workflows/rules/lost-server.ts'
import { isObject } from '../../../../src-main/lib/json/value.ts'
import { networkReason } from '../../../../src-main/lib/network-error.ts'
import { BridgeFailure, ServerLost } from '../failure.ts'
import type { BridgeSettings } from '../settings.ts'
import { askText, type ComfyServer, comfyServerAt, jsonOf, noJsonSentence, statusSentence } from './comfy-server.ts'

// Limit of one attempt, in ms; source: worker-comfyui, handler.py.
const LOOK_MS = 5000

type Look =
  | { readonly kind: 'there' }
  | { readonly kind: 'not there'; readonly why: string }
  | { readonly kind: 'another'; readonly sentence: string }

// Longest pause between two attempts, in ms. Source: ours; a start takes a minute, so a second does not matter.
const PAUSE_MAX_MS = 1000
const SLOWER_BY = 1.5

type FindOptions = {
  readonly settings: Pick<BridgeSettings, 'servers' | 'lookAttempts' | 'lookIntervalMs' | 'lookForMs'>
  readonly signal: AbortSignal
  readonly onWait: (sentence: string) => void
}

/**
 * Waits for a starting server, which may refuse or break connections or answer with 5xx.
 * @throws ServerLost on timeout or if another program answers; BridgeFailure for a bad address; the signal's reason
 */
export async function findServer({ settings, signal, onWait }: FindOptions): Promise<ComfyServer> {
  const servers = settings.servers.map(readAddress)
  const hosts = servers.map(({ host }) => host).join(', ')
  const { lookAttempts, lookForMs } = settings
  const startedAt = performance.now()
  let pauseMs = settings.lookIntervalMs
  let why = ''
  for (let attempt = 1; ; attempt += 1) {
    for (const server of servers) {
      const found = await look(server, signal)
      signal.throwIfAborted()
      if (found.kind === 'there') return server
      // If another program uses this port, the server may be at the other default port.
      if (found.kind === 'another' && servers.length === 1) throw new ServerLost('before the prompt', found.sentence)
      why = found.kind === 'another' ? found.sentence : `The last try: ${found.why}.`
    }
    if (lookAttempts === undefined ? performance.now() - startedAt >= lookForMs : attempt >= lookAttempts) break
    if (attempt === 1) onWait(waitSentence(hosts, why, settings))
    await pause(pauseMs, undefined, { signal })
    if (lookAttempts === undefined) pauseMs = Math.min(pauseMs * SLOWER_BY, PAUSE_MAX_MS)
  }
  const span = lookAttempts === undefined ? `, for ${inMinutes(lookForMs)}` : ''
  throw new ServerLost(
    'before the prompt',
    `ComfyUI server (${hosts}) not reachable after multiple retries${span}. ${why} ` +
      'Start it, or set its address in the settings of the endpoint.',
  )
}

function waitSentence(hosts: string, why: string, { lookAttempts, lookForMs }: FindOptions['settings']): string {
  const end = lookAttempts === undefined ? `within ${inMinutes(lookForMs)}` : `after ${lookAttempts} tries`
  return `ComfyUI (${hosts}) does not answer yet. ${why} The job continues when it does, and fails if it does not ${end}.`
}

const MINUTE_MS = 60_000

const inMinutes = (ms: number) => `${Number((ms / MINUTE_MS).toFixed(1))} min`

function readAddress(address: string): ComfyServer {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new BridgeFailure(
      'The address of the ComfyUI server in the settings of the endpoint must begin with http or https.',
    )
  return comfyServerAt(address)
}

async function look(server: ComfyServer, signal: AbortSignal): Promise<Look> {
  try {
    const answer = await askText(server, { path: 'system_stats', timeoutMs: LOOK_MS, signal })
    const value = jsonOf(answer)
    if (answer.status === 200 && isObject(value)) return { kind: 'there' }
    if (answer.status === 401) return { kind: 'another', sentence: loginSentence(server) }
    if (answer.status === LOOP_DETECTED) return { kind: 'another', sentence: loopSentence(server) }
    // A proxy in front of a starting server responds with a page.
    if (answer.status >= 500) return { kind: 'not there', why: statusSentence(answer) }
    if (answer.status === 200 && answer.text.trim() === '')
      return { kind: 'not there', why: 'it sent nothing (HTTP 200)' }
    return { kind: 'another', sentence: noJsonSentence(server, answer) }
  } catch (error) {
    return { kind: 'not there', why: networkReason(error) }
  }
}

function loopSentence({ host }: ComfyServer): string {
  return (
    `The server at ${host} leads back to itself, through the servers of other endpoints. ` +
    'Name a ComfyUI server that runs graphs in the settings of one of them.'
  )
}

function loginSentence({ host }: ComfyServer): string {
  return (
    `The server at ${host} needs a user name and a password (HTTP 401). ` +
    'Add them to the address of the server in the settings of the endpoint, like http://user:password@host:8188.'
  )
}
