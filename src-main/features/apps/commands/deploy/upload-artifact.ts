/** Uploads in parts; the service reports its received bytes, so uploads resume, also in a later deploy. */
import { type FileHandle, open } from 'node:fs/promises'
import { CliError } from '../../../../app/cli/cli-error.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { ArtifactStatus } from '../../../../contract/app.ts'
import { limit } from '../../../../contract/limits.ts'

export type Artifact = { readonly file: string; readonly sha256: string; readonly bytes: number }

export type UploadParts = {
  readonly client: ServiceClient
  readonly pause: (ms: number) => Promise<void>
  readonly onProgress: (received: number) => void
  readonly partBytes?: number
}

// Attempts without progress; source: ours, because a restarted service is back by then.
const TRIES = 5
// Pause before the first retry, doubled each time: 0.25 + 0.5 + 1 + 2 = 3.75 s in all, a restart of the service.
const AGAIN_AFTER_MS = 250
// Slow connections use smaller parts, down to this share: 512 KiB of 8 MiB in 120 s, so 4 KB/s suffice. Source: ours.
const SMALLEST_SHARE = 1 / 16

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
      // Another total belongs to a different upload, which the service discards.
      const offset = status.total === undefined || status.total === total ? status.received : 0
      const bytes = await readPart(opened, offset, Math.min(partBytes, total - offset))
      status = learn(await client.call('artifactWrite', { path, query: { offset, total }, bytes }))
      sent += bytes.length
    } catch (error) {
      failures += 1
      if (!mayPass(error) || failures >= TRIES) throw error
      // Only the service knows how much of the part arrived.
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

// A broken connection, a restarting service, or an answer of a proxy or a listener's timeout.
function mayPass(error: unknown): boolean {
  if (!(error instanceof CliError)) return false
  return ['NOT_REACHABLE', 'NOT_DRYDOCK'].includes(error.code) || error.status === 503 || isOffset(error)
}

const isOffset = ({ body }: CliError) => body.code === 'UPLOAD_OFFSET'
