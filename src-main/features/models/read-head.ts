import type { InThread } from '../../lib/in-thread.ts'
import type { ReadHead } from '../../storage/storage.ts'
import type { ModelReaders } from './ports.ts'

export const createReadHead =
  ({ readInThread }: { readonly readInThread: InThread<ModelReaders> }): ReadHead =>
  async (json, dataBytes) => {
    const read = await readInThread.modelHead(json, dataBytes)
    return 'problem' in read ? { format: 'safetensors', fault: read.problem } : read
  }
