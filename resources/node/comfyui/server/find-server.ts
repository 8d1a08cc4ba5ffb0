import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../../../../src-main/domain/workflow/json/value.ts'
import { BridgeFailure, reasonOf } from '../failure.ts'
import type { BridgeSettings } from '../settings.ts'
import { askText, type ComfyServer, comfyServerAt, jsonOf, noJsonSentence, statusSentence } from './comfy-server.ts'

// Of one look, in ms; source: worker-comfyui, handler.py.
const LOOK_MS = 5000

type Look =
  | { readonly kind: 'there' }
  | { readonly kind: 'not there'; readonly why: string }
  | { readonly kind: 'another'; readonly sentence: string }

/**
 * Finds the first server that answers. One that starts is waited for.
 * @throws BridgeFailure when none answers, or when what answers is no ComfyUI server
 */
export async function findServer(
  settings: Pick<BridgeSettings, 'servers' | 'lookAttempts' | 'lookIntervalMs'>,
  signal: AbortSignal,
): Promise<ComfyServer> {
  const servers = settings.servers.map(readAddress)
  let why = ''
  for (let attempt = 1; attempt <= settings.lookAttempts; attempt += 1) {
    for (const server of servers) {
      const found = await look(server, signal)
      signal.throwIfAborted()
      if (found.kind === 'there') return server
      // Who is not at home here may still be at the other usual place.
      if (found.kind === 'another' && servers.length === 1) throw new BridgeFailure(found.sentence)
      why = found.kind === 'another' ? found.sentence : `The last try: ${found.why}.`
    }
    if (attempt < settings.lookAttempts) await pause(settings.lookIntervalMs, undefined, { signal })
  }
  const hosts = servers.map(({ host }) => host).join(', ')
  throw new BridgeFailure(
    `ComfyUI server (${hosts}) not reachable after multiple retries. ${why} ` +
      'Start it, or set its address in the settings of the endpoint.',
  )
}

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
    // A proxy in front of a server that starts says so with a page.
    if (answer.status >= 500) return { kind: 'not there', why: statusSentence(answer) }
    return { kind: 'another', sentence: noJsonSentence(server, answer) }
  } catch (error) {
    return { kind: 'not there', why: reasonOf(error) }
  }
}

function loginSentence({ host }: ComfyServer): string {
  return (
    `What answers at ${host} wants a user and a password (HTTP 401). ` +
    'Put them into the address of the server in the settings of the endpoint, as in http://user:password@host:8188.'
  )
}
