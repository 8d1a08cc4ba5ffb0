import type { Context } from 'hono'
import type { ManagementOperations } from '../../http/operation.ts'
import { followAsEvents } from '../../http/send-response.ts'
import type { ServiceBase, ServiceContext } from '../service-context.ts'
import { listModelCredentials, putModelCredentials, removeModelCredentials } from './credentials.ts'

type Services = ServiceBase & Pick<ServiceContext, 'models'>

export const MODEL_OPERATIONS = {
  modelList: async (_request, { models }) => await models.list(),
  modelUses: async (_request, { models }) => ({ uses: await models.uses() }),
  async modelRemove({ body }, { models }) {
    await models.remove(body)
    return { ok: true as const }
  },
  modelDownloadList({ c, query }, service) {
    return query.follow === 'true' ? followModels(c, service) : service.models.news()
  },
  modelDownloadCreate: async ({ body }, { models }) => await models.downloads.create(body),
  modelDownloadRetry: async ({ path }, { models }) => await models.downloads.retry(path.downloadId),
  modelDownloadCancel: async ({ path }, { models }) => await models.downloads.cancel(path.downloadId),
  async modelDownloadRemove({ path }, { models }) {
    await models.downloads.remove(path.downloadId)
    return { ok: true as const }
  },
  modelFolderList: async (_request, { models }) => await models.folders(),
  async modelFoldersSet({ body }, { models }) {
    await models.setFolders(body.folders)
    return await models.folders()
  },
  modelCredentialsList: (_request, { storage }) => ({ credentials: listModelCredentials(storage) }),
  modelCredentialsPut: async ({ body }, service) => await putModelCredentials(service, body),
  async modelCredentialsRemove({ path }, { storage }) {
    await removeModelCredentials(storage, path.host)
    return { ok: true as const }
  },
} as const satisfies Partial<ManagementOperations<Services>>

function followModels(c: Context, { models, stopping }: Services): Response {
  let id = 0
  let sent = ''
  return followAsEvents(c, {
    notifier: models.notifier,
    stopping,
    read() {
      const data = JSON.stringify(models.news())
      if (data === sent) return { items: [], more: false }
      sent = data
      id += 1
      return { items: [{ id, event: 'models', data }], more: false }
    },
  })
}
