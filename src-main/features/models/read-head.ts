import type { ReadHead } from '../../storage/storage.ts'
import type { ReadsInThread } from '../jobs/ports/read-in-thread.ts'

export const createReadHead =
  ({ readInThread }: ReadsInThread): ReadHead =>
  async (json, dataBytes) => {
    const read = await readInThread('modelHead', json, dataBytes)
    return 'problem' in read ? { format: 'safetensors', fault: read.problem } : read
  }
