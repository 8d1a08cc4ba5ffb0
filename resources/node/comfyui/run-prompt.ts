import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isObject, type JsonObject } from '../../../src-main/lib/json/value.ts'
import { networkReason } from '../../../src-main/lib/network-error.ts'
import { ServerLost } from './failure.ts'
import { type EventsOptions, openEvents, type ServerEvents } from './follow/events.ts'
import { followPrompt } from './follow/follow-prompt.ts'
import type { Outcome } from './follow/outcome.ts'
import { interruptPrompt, readHistory } from './follow/prompt-place.ts'
import { createReporter } from './progress/report.ts'
import { graphForFiles } from './prompt/graph-for-files.ts'
import { type Prompt, queuePrompt } from './prompt/queue-prompt.ts'
import type { BridgeInput } from './prompt/read-input.ts'
import { uploadImages } from './prompt/upload-images.ts'
import { answerFor, type Finished } from './results/answer.ts'
import { collectPreviews, collectResults } from './results/collect-results.ts'
import { listResults } from './results/list-results.ts'
import { createSocketPictures, type SocketPictures } from './results/socket-pictures.ts'
import type { ComfyServer } from './server/comfy-server.ts'
import { findServer } from './server/find-server.ts'
import type { BridgeSettings } from './settings.ts'

const HISTORY_EVERY_MS = 20

export type RunOptions = {
  readonly settings: BridgeSettings
  readonly signal: AbortSignal
  readonly progress: (value: unknown) => void
  readonly log: (line: string) => void
}

export async function runPrompt(input: BridgeInput, options: RunOptions): Promise<Readonly<Record<string, unknown>>> {
  const { settings, signal, log } = options
  const server = await findOrWait(options)
  await uploadImages(server, input.images, signal).catch((error: Error) => {
    const isLost = settings.endsWithoutServer && error.cause !== undefined
    throw isLost ? new ServerLost('before the prompt', error.message, error) : error
  })
  const extraPngInfo = input.extraPngInfo ?? (await graphForFiles(server, input.workflow, signal))
  const clientId = randomUUID()
  const events = await connect(server, { clientId, silenceMs: settings.silenceMs, signal })
  const comfyOrgKey = input.comfyOrgKey ?? settings.comfyOrgKey
  const { workflow, comfyOrgToken } = input
  const prompt = { workflow, clientId, comfyOrgKey, comfyOrgToken, extraPngInfo }
  const { id: promptId, leftOut } = await queueOrClose(server, prompt, events)
  const finished = await finish(server, input, { clientId, promptId, events, options }).catch(async (error) => {
    // Also if the server is only slow: nobody would fetch its result.
    await interruptPrompt(server, promptId, log)
    throw error
  })
  return answerFor({ ...finished, faults: [...leftOut, ...finished.faults] })
}

async function findOrWait({ settings, signal, progress, log }: RunOptions): Promise<ComfyServer> {
  let hasWaited = false
  const onWait = (sentence: string) => {
    hasWaited = true
    log(sentence)
    progress({ waiting: sentence })
  }
  const server = await findServer({ settings, signal, onWait })
  if (hasWaited) progress({ done: [] }) // otherwise it would appear to wait until the server's first message
  return server
}

async function connect(server: ComfyServer, options: EventsOptions): Promise<ServerEvents> {
  try {
    return await openEvents(server, options)
  } catch (error) {
    options.signal.throwIfAborted()
    throw new ServerLost('before the prompt', `WebSocket communication error: ${networkReason(error)}`, error)
  }
}

// A cancelled job does not end this: without its id a queued prompt could not be removed.
async function queueOrClose(server: ComfyServer, prompt: Prompt, events: ServerEvents) {
  try {
    return await queuePrompt(server, prompt)
  } catch (error) {
    events.close()
    throw error
  }
}

type Running = {
  readonly clientId: string
  readonly promptId: string
  readonly events: ServerEvents
  readonly options: RunOptions
}

async function finish(server: ComfyServer, input: BridgeInput, running: Running): Promise<Finished> {
  const { promptId, options } = running
  const sent = createSocketPictures(input.workflow, options.settings.resultBytes)
  const outcome = await follow(server, input, { ...running, sent })
  const record = await history(server, promptId, options)
  const outputs = record?.get('outputs')
  const listed = listResults(isObject(outputs) ? outputs : new Map())
  const { settings, signal, log } = options
  const limits = { maxBytes: settings.resultBytes, signal, log }
  const { images, faults, isLost, leftBytes } = await collectResults(
    server,
    [...sent.results(), ...listed.results],
    limits,
  )
  if (isLost && settings.endsWithoutServer) throw new ServerLost('with the prompt', faults.join(' '))
  const wanted = input.wantsPreviews ? listed.previews : []
  const previews = await collectPreviews(server, wanted, { ...limits, maxBytes: leftBytes })
  const notSent = outcome.kind === 'ended' ? sent.faults() : []
  return { promptId, outcome, record, images, previews, faults: [...listed.faults, ...notSent, ...faults] }
}

async function follow(
  server: ComfyServer,
  { workflow }: BridgeInput,
  { clientId, promptId, events, options, sent }: Running & { readonly sent: SocketPictures },
): Promise<Outcome> {
  const { settings, signal, progress, log } = options
  const nodes = isObject(workflow) ? workflow.keys() : []
  const reporter = createReporter({ nodes, promptId, settings, progress, takeResult: sent.take, log })
  try {
    return await followPrompt({
      ...{ server, clientId, promptId, events, signal, settings, log },
      onMessage: reporter.takeMessage,
      onPreview: reporter.takePreview,
    })
  } finally {
    reporter.stop()
  }
}

// The server reports the end of a prompt a moment before it is in the history.
async function history(
  server: ComfyServer,
  promptId: string,
  { settings, signal }: RunOptions,
): Promise<JsonObject | undefined> {
  try {
    for (let look = 1; ; look += 1) {
      const record = await readHistory(server, promptId, signal)
      if (record !== undefined || look >= settings.historyLooks) return record
      await pause(HISTORY_EVERY_MS, undefined, { signal })
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ServerLost) throw error
    throw new ServerLost('with the prompt', `HTTP communication error with ComfyUI: ${networkReason(error)}`, error)
  }
}
