/** Requests of the platform's package about its calls of tasks. Source: docs/spec/platform.md, 4. */
import type { Context, Hono } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import { TASK_ROUTES } from '../../../contract/task-calls.ts'
import { joinedJson } from '../../../http/body-text.ts'
import { requireOwnOrigin } from '../../../http/guards.ts'
import { jsonResponse } from '../../../http/operation.ts'
import { objectPieces, parseRequest } from '../../../http/read-request.ts'
import { keyFromHeader } from '../../keys/rules.ts'
import type { ServiceContext } from '../../service-context.ts'
import { findTaskCall, readTaskResult, requireTaskCall, sendTaskRequest, setTaskTimeout } from '../task-calls.ts'

/** A call's token opens only that call, and no other key opens it. */
export function addTaskCalls(app: Hono, service: ServiceContext): void {
  const { taskPing, taskSubmit, taskTimeout, taskResult } = TASK_ROUTES
  const callOf = (c: Context, { taskId }: { readonly taskId: string }) =>
    requireTaskCall(service, taskId, keyFromHeader(c.req.header('authorization')))

  app.get(taskPing.path, async (c) => {
    requireOwnOrigin(c, service)
    const { path } = await parseRequest(c, taskPing, service)
    if (findTaskCall(service.storage, path.taskId) === undefined) throw new AppError('TASK_NOT_FOUND')
    return c.json({ status: 'healthy' })
  })
  app.post(taskSubmit.path, async (c) => {
    requireOwnOrigin(c, service)
    const { path, body, sent } = await parseRequest(c, taskSubmit, service)
    const timeoutS = body.timeout ?? undefined
    await sendTaskRequest(service, callOf(c, path), { input: joinedJson(objectPieces(sent)), timeoutS })
    return c.json({ status: 'RUNNING', timeout: body.timeout ?? null })
  })
  app.post(taskTimeout.path, async (c) => {
    requireOwnOrigin(c, service)
    const { path, body } = await parseRequest(c, taskTimeout, service)
    await setTaskTimeout(service, callOf(c, path), body.timeout)
    return c.json({ status: 'RUNNING', timeout: body.timeout })
  })
  app.get(taskResult.path, async (c) => {
    requireOwnOrigin(c, service)
    const { path } = await parseRequest(c, taskResult, service)
    const pieces = await readTaskResult(service, callOf(c, path))
    await service.storage.durable()
    return jsonResponse(pieces)
  })
}
