import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import {
  addWorkflow,
  deleteWorkflow,
  dropDraft,
  keepDraft,
  readWorkflow,
  restoreWorkflow,
  saveVersion,
  updateWorkflow,
} from '../../services/workflows/library.ts'
import { readJson } from '../read-body.ts'
import type { AppHandler } from './app-handler.ts'

const idOf = (c: Context) => c.req.param('workflowId') ?? ''

// The text of a document is JSON within JSON: each of its quotes is two characters there.
const BODY_BYTES = 2 * limit('workflowBytes') + limit('managementBodyBytes')
const readText = async (c: Context) => (await readJson(c, BODY_BYTES, 'this operation')).value

/** The library of workflows. */
export const WORKFLOW_OPERATIONS = {
  workflowList: (c, { storage }) => c.json({ workflows: storage.workflows.list(limit('workflows')) }),
  async workflowCreate(c, { workflows }) {
    return c.json(await addWorkflow(workflows.library, APP_ROUTES.workflowCreate.body.parse(await readText(c))))
  },
  workflowRead: (c, service) => c.json(readWorkflow(service, idOf(c))),
  async workflowUpdate(c, { workflows }) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    return c.json(await updateWorkflow(workflows.library, idOf(c), APP_ROUTES.workflowUpdate.body.parse(value)))
  },
  async workflowDelete(c, { workflows }) {
    await deleteWorkflow(workflows.library, idOf(c))
    return c.json({ ok: true as const })
  },
  workflowRestore: async (c, { workflows }) => c.json(await restoreWorkflow(workflows.library, idOf(c))),
  async workflowDraft(c, { workflows }) {
    return c.json(await keepDraft(workflows.library, idOf(c), APP_ROUTES.workflowDraft.body.parse(await readText(c))))
  },
  workflowDropDraft: async (c, { workflows }) => c.json(await dropDraft(workflows.library, idOf(c))),
  async workflowSave(c, { workflows }) {
    return c.json(await saveVersion(workflows.library, idOf(c), APP_ROUTES.workflowSave.body.parse(await readText(c))))
  },
  workflowVersions(c, service) {
    readWorkflow(service, idOf(c))
    return c.json({ versions: service.storage.workflows.versions(idOf(c)) })
  },
  workflowVersion(c, service) {
    readWorkflow(service, idOf(c))
    const version = service.storage.workflows.version(idOf(c), Number(c.req.param('version')))
    if (version === undefined)
      throw new AppError('WORKFLOW_NOT_FOUND', {
        workflowId: `${idOf(c)} in version ${c.req.param('version')?.slice(0, 20)}`,
      })
    return c.json(version)
  },
  workflowTemplates: async (c, { workflows }) => c.json({ templates: await workflows.templates() }),
} as const satisfies Record<string, AppHandler>
