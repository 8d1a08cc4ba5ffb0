/**
 * Platform tool uploads. The keyless address is random, takes one artifact of the announced size, and lasts an hour;
 * interrupted uploads resume. Addresses are in memory, so a restart discards partial uploads.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { UploadStatus } from '../../contract/service-routes.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { Storage } from '../../storage/storage.ts'
import { newSecretId } from '../keys/keys.ts'

export type PreparedUpload = {
  readonly id: string
  readonly expiresAt: number
}

export type Uploads = ReturnType<typeof createUploads>

type Receiving = { readonly giveUp: () => void; readonly over: Promise<unknown> }

const NOTHING_CAME = { file: undefined, receiving: undefined, artifact: undefined }

type Upload = {
  readonly app: string
  readonly bytes: number
  readonly endsAt: number
  file: string | undefined
  receiving: Receiving | undefined
  artifact: string | undefined
}

export function createUploads(storage: Pick<Storage, 'artifacts'>, clock: Clock, newId: NewId) {
  const uploads = new Map<string, Upload>()

  function find(id: string): Upload {
    const upload = uploads.get(id)
    if (upload === undefined || upload.endsAt <= clock.steady()) throw new AppError('UPLOAD_UNKNOWN')
    return upload
  }

  function findOpen(id: string): Upload {
    const upload = find(id)
    if (upload.artifact !== undefined) throw new AppError('UPLOAD_UNKNOWN')
    return upload
  }

  async function store(upload: Upload, bytes: AsyncIterable<Uint8Array>, from: number): Promise<string> {
    upload.file ??= await storage.artifacts.newFile()
    return await storage.artifacts.receive(bytes, { file: upload.file, from, total: upload.bytes })
  }

  function forgetOld(): void {
    for (const [id, { endsAt }] of uploads) if (endsAt <= clock.steady()) uploads.delete(id)
    const [oldest] = uploads.keys()
    if (uploads.size >= limit('uploadsAtOnce') && oldest !== undefined) uploads.delete(oldest)
  }

  return {
    prepare(app: string, bytes: number): PreparedUpload {
      if (bytes > limit('artifactBytes'))
        throw new AppError('UPLOAD_TOO_LARGE', { bytes, limit: limit('artifactBytes') })
      forgetOld()
      const id = newSecretId(newId)
      const lifeMs = limit('uploadMs')
      uploads.set(id, { app, bytes, endsAt: clock.steady() + lifeMs, ...NOTHING_CAME })
      return { id, expiresAt: clock.now() + lifeMs }
    },
    /**
     * Bytes received.
     * @throws AppError UPLOAD_UNKNOWN if complete, or as `receive`
     */
    async status(id: string): Promise<UploadStatus> {
      const { file, bytes: total } = findOpen(id)
      return { received: file === undefined ? 0 : await storage.artifacts.receivedIn(file), total }
    },
    /**
     * Receives bytes; failures may be resent or resumed, replacing a silently broken connection.
     * @param from bytes already received; 0 restarts
     * @throws AppError UPLOAD_UNKNOWN if never issued, used, busy or expired; UPLOAD_OFFSET, UPLOAD_TOO_LARGE,
     * UPLOAD_DAMAGED, DISK_FULL
     */
    async receive(id: string, bytes: AsyncIterable<Uint8Array>, from: number = 0) {
      const upload = findOpen(id)
      while (upload.receiving !== undefined) {
        if (from === 0) throw new AppError('UPLOAD_UNKNOWN')
        upload.receiving.giveUp()
        await upload.receiving.over
        findOpen(id)
      }
      const given = Promise.withResolvers<never>()
      const stored = store(upload, endedBy(bytes, given.promise), from)
      const giveUp = () => given.reject(new Error('another connection goes on with it'))
      const over = stored.then(
        () => undefined,
        () => undefined,
      )
      upload.receiving = { giveUp, over }
      try {
        upload.artifact = await stored
      } finally {
        upload.receiving = undefined
      }
    },
    finish(app: string, id: string): string {
      const { app: of, artifact } = find(id)
      if (artifact === undefined || of !== app) throw new AppError('UPLOAD_UNKNOWN')
      uploads.delete(id)
      return artifact
    },
  }
}

async function* endedBy(bytes: AsyncIterable<Uint8Array>, givenUp: Promise<never>): AsyncGenerator<Uint8Array> {
  givenUp.catch(() => undefined)
  const pieces = bytes[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await Promise.race([pieces.next(), givenUp])
    if (done === true) return
    yield value
  }
}
