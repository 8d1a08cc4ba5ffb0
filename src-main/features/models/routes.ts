import { followView } from '../../http/follow-view.ts'
import type { ManagementOperations } from '../../http/operation.ts'
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
  modelDownloadList({ c, query }, { models: { notifier, news }, stopping }) {
    if (query.follow !== 'true') return news()
    return followView(c, { notifier, stopping, event: 'models', view: news, isLast: () => false })
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
