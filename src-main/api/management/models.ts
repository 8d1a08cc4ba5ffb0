import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { limit } from '../../contract/limits.ts'
import { listModelCredentials, putModelCredentials, removeModelCredentials } from '../../services/models/credentials.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { followAsEvents } from '../follow.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

const bodyOf = async (c: Context) => (await readJson(c, limit('managementBodyBytes'), 'this operation')).value
const idOf = (c: Context) => c.req.param('downloadId') ?? ''

/** The models of this machine: their files, downloads, folders, and the credentials of hosts. */
export const MODEL_OPERATIONS = {
  modelList: async (c, { models }) => c.json(await models.list()),
  modelUses: async (c, { models }) => c.json({ uses: await models.uses() }),
  async modelRemove(c, { models }) {
    await models.remove(APP_ROUTES.modelRemove.body.parse(await bodyOf(c)))
    return c.json({ ok: true as const })
  },
  modelDownloadList(c, service) {
    const follow = queryValue(c, 'follow', APP_ROUTES.modelDownloadList.query.follow)
    return follow === 'true' ? followModels(c, service) : c.json(service.models.news())
  },
  async modelDownloadCreate(c, { models }) {
    return c.json(await models.downloads.create(APP_ROUTES.modelDownloadCreate.body.parse(await bodyOf(c))))
  },
  modelDownloadRetry: async (c, { models }) => c.json(await models.downloads.retry(idOf(c))),
  modelDownloadCancel: async (c, { models }) => c.json(await models.downloads.cancel(idOf(c))),
  async modelDownloadRemove(c, { models }) {
    await models.downloads.remove(idOf(c))
    return c.json({ ok: true as const })
  },
  modelFolderList: async (c, { models }) => c.json(await models.folders()),
  async modelFoldersSet(c, { models }) {
    await models.setFolders(APP_ROUTES.modelFoldersSet.body.parse(await bodyOf(c)).folders)
    return c.json(await models.folders())
  },
  modelCredentialsList: (c, { storage }) => c.json({ credentials: listModelCredentials(storage) }),
  async modelCredentialsPut(c, service) {
    return c.json(await putModelCredentials(service, APP_ROUTES.modelCredentialsPut.body.parse(await bodyOf(c))))
  },
  async modelCredentialsRemove(c, { storage }) {
    await removeModelCredentials(storage, c.req.param('host') ?? '')
    return c.json({ ok: true as const })
  },
} as const satisfies Record<string, AppHandler>

/** Sends what is known of models whenever it has changed. */
function followModels(c: Context, { models, stopping }: ServiceContext): Response {
  let id = 0
  let sent = ''
  return followAsEvents(c, {
    bell: models.bell,
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
