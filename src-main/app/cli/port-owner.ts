import { basename } from 'node:path'
import { portOfService } from '../../lib/own-addresses.ts'
import { previewFolders } from '../headless/data-folder.ts'
import { readServiceFile } from './find-service.ts'

/** Names the service or preview of this data folder that uses the port, if any. */
export async function portOwner(data: string, port: number): Promise<string | undefined> {
  for (const folder of [data, ...(await previewFolders(data))]) {
    const service = await readServiceFile(folder)
    if (service === undefined || portOfService(service.url) !== port) continue
    return folder === data
      ? `the Drydock service of ${data}`
      : `a preview of ${basename(folder).replace(/-[^-]*$/, '')}`
  }
  return undefined
}
