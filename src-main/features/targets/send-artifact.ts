/**
 * Uploads an artifact: the target provides an address, the file goes there without the key, and a build follows.
 * Uploads resume if the address reports progress, as Drydock's does, otherwise restart.
 */
import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import { uploadStatus } from '../../contract/service-routes.ts'
import { sizeText } from '../../lib/text.ts'
import type { TargetClient } from './target-client.ts'

const PREPARE = `mutation ($input: PrepareFlashArtifactUploadInput!) {
  prepareFlashArtifactUpload(input: $input) { uploadUrl objectKey }
}`
const FINALIZE = `mutation ($input: FinalizeFlashArtifactUploadInput!) {
  finalizeFlashArtifactUpload(input: $input) { id }
}`
const prepared = z.object({ prepareFlashArtifactUpload: z.object({ uploadUrl: z.url(), objectKey: z.string() }) })
const finalized = z.object({ finalizeFlashArtifactUpload: z.object({ id: z.string() }) })

// Tries without progress. Source: the public tool tries four times.
const TRIES = 4

/**
 * @returns the build id
 * @throws AppError TARGET_UNREACHABLE, TARGET_REFUSED
 */
export async function sendArtifact(
  client: TargetClient,
  flashAppId: string,
  { file, bytes, manifest }: { readonly file: string; readonly bytes: number; readonly manifest: unknown },
  { onProgress, onLine }: { readonly onProgress: (sentBytes: number) => void; readonly onLine: (line: string) => void },
): Promise<string> {
  const { url } = client
  let most = 0
  let failed = 0
  for (;;) {
    const variables = { input: { flashAppId, tarballSize: bytes } }
    const given = (await client.query({ text: PREPARE, variables, schema: prepared }))?.prepareFlashArtifactUpload
    if (given === undefined) throw new AppError('TARGET_REFUSED', { url, why: 'the app was deleted meanwhile.' })
    const { uploadUrl, objectKey } = given
    for (let from: number | undefined = 0; from !== undefined; ) {
      const why = await put(client, uploadUrl, { file, from, bytes, onSent: onProgress })
      if (why === undefined) return await finalize(client, { flashAppId, objectKey, manifest })
      failed += 1
      if (failed >= TRIES) throw new AppError('TARGET_UNREACHABLE', { url, why: `the upload failed: ${why}` })
      await client.pause(failed)
      const come = await receivedAt(client, uploadUrl, bytes)
      if (come !== undefined && come > most) failed = 0
      most = Math.max(most, come ?? 0)
      onProgress(come ?? 0)
      const how = come === undefined ? 'begins again' : `resumes after ${sizeText(come)}`
      onLine(`The upload was interrupted (${why}) and ${how}.`)
      from = come
    }
  }
}

type Put = {
  readonly file: string
  readonly from: number
  readonly bytes: number
  readonly onSent: (bytes: number) => void
}

async function put(client: TargetClient, url: string, { file, from, bytes, onSent }: Put): Promise<string | undefined> {
  const range = from === 0 ? {} : { 'content-range': `bytes ${from}-${bytes - 1}/${bytes}` }
  const headers = { 'content-type': 'application/gzip', ...range }
  try {
    const { status } = await client.bare({ url, method: 'PUT', headers, body: { file, from, onSent } })
    return status >= 200 && status < 300 ? undefined : `HTTP ${status}`
  } catch (error) {
    if (error instanceof AppError) return String(error.data.why)
    throw error
  }
}

async function receivedAt(client: TargetClient, url: string, bytes: number): Promise<number | undefined> {
  try {
    const { status, text } = await client.bare({ url, method: 'GET', headers: { accept: 'application/json' } })
    const { data } = uploadStatus.safeParse(status === 200 ? JSON.parse(text) : undefined)
    return data?.total === bytes && data.received < bytes ? data.received : undefined
  } catch (error) {
    if (error instanceof AppError || error instanceof SyntaxError) return undefined
    throw error
  }
}

async function finalize(client: TargetClient, input: object): Promise<string> {
  const made = await client.query({ text: FINALIZE, variables: { input }, schema: finalized, writes: true })
  if (made === undefined) throw new AppError('TARGET_REFUSED', { url: client.url, why: 'it made no build.' })
  return made.finalizeFlashArtifactUpload.id
}
