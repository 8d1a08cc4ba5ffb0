/**
 * Sends an artifact in parts. The service says how much of it is there, so an upload that broke off goes on where it
 * was, also in a later deploy, and one that is there is not sent again.
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { ServiceClient } from '../../client/service-client.ts'
import type { ArtifactStatus } from '../../contract/app.ts'
import { limit } from '../../contract/limits.ts'
import { CliError } from '../cli-error.ts'

/** An artifact on the disk. */
export type Artifact = { readonly file: string; readonly sha256: string; readonly bytes: number }

/** What an upload works with. */
export type UploadParts = {
  readonly client: ServiceClient
  /** Settles after so many ms. */
  readonly pause: (ms: number) => Promise<void>
  /** Receives how many bytes are there. */
  readonly onProgress: (received: number) => void
  /** Size of a part; as large as the service takes where it is not given. */
  readonly partBytes?: number
}

// How often it is tried without a byte more; source: ours, as a service that restarts is back by then.
const TRIES = 5
// Pause before the first new try, doubled each time: 0.25 + 0.5 + 1 + 2 = 3.75 s in all, a restart of the service.
const AGAIN_AFTER_MS = 250
// A line too slow for a part in the time that the service gives it gets smaller ones, down to this share of it: 512 KiB
// of 8 MiB in 120 s, so 4 KB/s are enough; source: ours.
const SMALLEST_SHARE = 1 / 16

/**
 * Uploads what of an artifact is not there yet.
 * @returns bytes that were sent
 * @throws CliError NOT_REACHABLE, SERVICE_REFUSED, UPLOAD_FAILED where the file is another one by now
 */
export async function uploadArtifact(
  { client, pause, onProgress, partBytes: largest = limit('artifactPartBytes') }: UploadParts,
  { file, sha256, bytes: total }: Artifact,
): Promise<number> {
  const path = { artifact: sha256 }
  await using opened = await open(file)
  let status: ArtifactStatus | undefined
  let partBytes = largest
  let [most, sent, failures] = [0, 0, 0]
  const learn = (reported: ArtifactStatus): ArtifactStatus => {
    if (reported.received > most) failures = 0
    most = Math.max(most, reported.received)
    onProgress(reported.received)
    return reported
  }
  for (;;) {
    try {
      status ??= learn(await client.call('artifactRead', { path }))
      if (status.state === 'complete') return sent
      // Another total is the beginning of something else, which the service throws away.
      const offset = status.total === undefined || status.total === total ? status.received : 0
      const bytes = await readPart(opened, offset, Math.min(partBytes, total - offset))
      status = learn(await client.call('artifactWrite', { path, query: { offset, total }, bytes }))
      sent += bytes.length
    } catch (error) {
      failures += 1
      if (!mayPass(error) || failures >= TRIES) throw error
      // What of the part arrived, only the service knows.
      status = undefined
      partBytes = Math.max(largest * SMALLEST_SHARE, partBytes / 2)
      await pause(AGAIN_AFTER_MS * 2 ** (failures - 1))
    }
  }
}

async function readPart(file: FileHandle, offset: number, bytes: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, offset)
  if (bytesRead === bytes && bytes > 0) return buffer
  throw new CliError('UPLOAD_FAILED', { why: 'the file changed while it was sent; deploy again' })
}

// The connection broke, the service wants another part or is starting again, or something before it answered: a proxy,
// or the listener itself to a part that took too long.
function mayPass(error: unknown): boolean {
  if (!(error instanceof CliError)) return false
  return ['NOT_REACHABLE', 'NOT_DRYDOCK'].includes(error.code) || error.status === 503 || isOffset(error)
}

const isOffset = ({ body }: CliError) => body.code === 'UPLOAD_OFFSET'
