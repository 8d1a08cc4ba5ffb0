/**
 * Downloads endpoint models from the hub before workers start and keeps them, so they work offline. A branch's commit
 * is resolved once per settings change, so all workers of a release share files.
 */
import { AppError } from '../../contract/errors.ts'
import type { ServiceSettings } from '../../contract/management.ts'
import { type HubListing, hubListing, type ModelDownload, type ModelFolder } from '../../contract/models.ts'
import type { Log } from '../../lib/clock.ts'
import { plainJson } from '../../lib/json/plain.ts'
import { sizeText } from '../../lib/text.ts'
import { MIB } from '../../lib/units.ts'
import type { Watch } from '../../runtimes/port.ts'
import type { ModelFiles, ModelTarget, Storage } from '../../storage/storage.ts'
import { authorizationFor } from './credentials.ts'
import type { ModelDownloads } from './downloads.ts'
import type { FetchFile } from './ports.ts'
import { hasEnded } from './rules/download-transitions.ts'
import {
  fileAddress,
  HUB_DIRECTORY,
  type HubModel,
  hubFolder,
  isCommit,
  listingAddress,
  readHubModel,
  readListing,
  type StagedModel,
  USUAL_REVISION,
} from './rules/hub-model.ts'

export type WantedModel = {
  readonly model: string
  readonly settings: string
  readonly token: string | undefined
}

// A listing of 100,000 files. Source: ours, as it is read into memory.
const LISTING_BYTES = 16 * MIB
// Interval of reports to a worker that waits for downloads, ms.
const TELL_AGAIN_MS = 10_000

export function createHubModels(deps: {
  readonly storage: Pick<Storage, 'secrets'>
  readonly log: Log
  readonly files: ModelFiles
  readonly fetchFile: FetchFile
  readonly settings: () => Pick<ServiceSettings, 'modelsFromPrivateAddresses' | 'modelHub'>
  readonly folder: () => ModelFolder
  readonly downloads: Pick<ModelDownloads, 'begin' | 'get' | 'notifier'>
}) {
  const { storage, log, files, settings, folder, downloads } = deps
  const settled = new Map<string, string>()

  const pathOf = (model: HubModel, rest = '') => `${folder().path}/${HUB_DIRECTORY}/${hubFolder(model)}${rest}`
  const listingPath = (model: HubModel, commit: string) => pathOf(model, `/.drydock/${commit}.json`)
  const refPath = (model: HubModel, revision: string) => pathOf(model, `/refs/${revision}`)

  const targetOf = (model: HubModel, commit: string, path: string): ModelTarget => ({
    folder: folder(),
    directory: HUB_DIRECTORY,
    name: `${hubFolder(model)}/snapshots/${commit}/${path}`,
  })

  function authorization(token: string | undefined): (host: string) => string | undefined {
    const hub = new URL(settings().modelHub).host
    return (host) => (token !== undefined && host === hub ? `Bearer ${token}` : authorizationFor(storage, host))
  }

  async function listingHere(model: HubModel, commit: string): Promise<HubListing | undefined> {
    const text = await files.readText(listingPath(model, commit))
    return text === undefined ? undefined : hubListing.parse(JSON.parse(text))
  }

  async function lastListing(model: HubModel): Promise<HubListing | undefined> {
    const { revision = USUAL_REVISION } = model
    const commit = isCommit(revision) ? revision : (await files.readText(refPath(model, revision)))?.trim()
    return commit === undefined || !isCommit(commit) ? undefined : await listingHere(model, commit)
  }

  async function askHub(model: HubModel, token: string | undefined, signal: AbortSignal): Promise<HubListing> {
    const { modelHub, modelsFromPrivateAddresses: allowPrivate } = settings()
    const url = listingAddress(modelHub, model)
    const host = new URL(modelHub).host
    const asked = { url, from: 0, validator: undefined, authorization: authorization(token), allowPrivate, signal }
    const got = await deps.fetchFile(asked)
    if (got.kind === 'fault') throw new Error(got.why)
    if (got.kind === 'beyond') throw new Error(`${host} answered with HTTP 416`)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of got.body) {
      bytes += chunk.length
      if (bytes > LISTING_BYTES) throw new Error(`${host} sent a list of files of more than ${sizeText(LISTING_BYTES)}`)
      chunks.push(chunk)
    }
    const listing = readListing(plainJson(Buffer.concat(chunks).toString('utf8')))
    if (typeof listing === 'string') throw new Error(`${host} ${listing}`)
    await files.writeText(listingPath(model, listing.revision), JSON.stringify(listing))
    return listing
  }

  async function settle({ model: text, settings: key, token }: WantedModel, { report, signal }: Watch) {
    const model = readHubModel(text)
    const known = settled.get(`${key} ${text}`)
    const before = known === undefined ? await lastListing(model) : await listingHere(model, known)
    const isSettled = known !== undefined || (model.revision !== undefined && isCommit(model.revision))
    if (before !== undefined && isSettled) return before
    report(`asking the hub for the model ${text}`)
    try {
      return await askHub(model, token, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (before === undefined) throw error
      log.warn('hub of models not asked: the model that is here is used', { model: text, why: messageOf(error) })
      return before
    }
  }

  async function beginDownloads({ model: text, token }: WantedModel, { revision, files: all }: HubListing) {
    const model = readHubModel(text)
    const { modelHub } = settings()
    const begun: { readonly id: string; readonly path: string; readonly target: ModelTarget }[] = []
    for (const { path, sha256: expected } of all) {
      const target = targetOf(model, revision, path)
      if (await files.exists(target)) continue
      const url = fileAddress(modelHub, model, revision, path)
      try {
        const { id } = await downloads.begin({ url, target, expected }, authorization(token))
        begun.push({ id, path, target })
      } catch (error) {
        // The file arrived at this very moment, for another worker.
        if (!(error instanceof AppError) || error.code !== 'MODEL_EXISTS') throw error
      }
    }
    return begun
  }

  async function bring(wanted: WantedModel, listing: HubListing, { report, signal }: Watch): Promise<void> {
    const begun = await beginDownloads(wanted, listing)
    for (;;) {
      signal.throwIfAborted()
      const open: ModelDownload[] = []
      for (const { id, path, target } of begun) {
        const download = downloads.get(id)
        // The download list holds only the newest ones, so the disk is checked for others.
        if (download === undefined ? await files.exists(target) : download.state === 'done') continue
        if (download === undefined || hasEnded(download.state))
          throw new Error(`${path}: ${download?.reason ?? 'its download was given up'}`)
        open.push(download)
      }
      if (open.length === 0) return
      report(progressText(wanted.model, open, { files: listing.files.length }))
      await downloads.notifier.wait(TELL_AGAIN_MS, signal)
    }
  }

  return {
    /**
     * Interrupted downloads resume for the next worker.
     * @throws Error with a reason for the user, also on abort
     */
    async stage(wanted: WantedModel, watch: Watch): Promise<StagedModel> {
      const model = readHubModel(wanted.model)
      try {
        const listing = await settle(wanted, watch)
        await bring(wanted, listing, watch)
        const { revision: commit } = listing
        const { revision = USUAL_REVISION } = model
        if (!isCommit(revision)) await files.writeText(refPath(model, revision), commit)
        settled.set(`${wanted.settings} ${wanted.model}`, commit)
        return { revision: commit, folder: pathOf(model), files: pathOf(model, `/snapshots/${commit}`) }
      } catch (error) {
        watch.signal.throwIfAborted()
        throw new Error(`the model ${wanted.model} is not here: ${messageOf(error)}`, { cause: error })
      }
    },
  }
}

const messageOf = (error: unknown) => (error as Error).message

function progressText(model: string, open: readonly ModelDownload[], all: { readonly files: number }): string {
  const received = open.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0)
  const total = open.reduce((sum, { totalBytes = 0 }) => sum + totalBytes, 0)
  const rate = open.reduce((sum, { bytesPerSecond = 0 }) => sum + bytesPerSecond, 0)
  const pause = open.find(({ reason }) => reason !== undefined)?.reason
  return [
    `downloading the model ${model}: ${all.files - open.length} of ${all.files} files`,
    ...(total === 0 ? [] : [`, ${sizeText(received)} of ${sizeText(total)} of the next`]),
    ...(rate === 0 ? [] : [`, ${sizeText(rate)}/s`]),
    ...(pause === undefined ? [] : [` (${pause})`]),
  ].join('')
}
