import type { Context } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import { TASK_ROUTES } from '../../../contract/task-calls.ts'
import { joinedJson } from '../../../http/body-text.ts'
import { jsonResponse } from '../../../http/operation.ts'
import { objectPieces, parseRequest } from '../../../http/read-request.ts'
import { keyFromHeader } from '../../keys/rules.ts'
import type { ServiceContext } from '../../service-context.ts'
import { findTaskCall, readTaskResult, requireTaskCall, sendTaskRequest, setTaskTimeout } from '../task-calls.ts'

/** A call's token opens only that call, and no other key opens it. */
export function createTaskCalls(
  service: ServiceContext,
): Readonly<Record<keyof typeof TASK_ROUTES, (c: Context) => Promise<Response>>> {
  const { taskPing, taskSubmit, taskTimeout, taskResult } = TASK_ROUTES
  const callOf = (c: Context, { taskId }: { readonly taskId: string }) =>
    requireTaskCall(service, taskId, keyFromHeader(c.req.header('authorization')))

  return {
    async taskPing(c) {
      const { path } = await parseRequest(c, taskPing, service)
      if (findTaskCall(service.storage, path.taskId) === undefined) throw new AppError('TASK_NOT_FOUND')
      return c.json({ status: 'healthy' })
    },
    async taskSubmit(c) {
      const { path, body, sent } = await parseRequest(c, taskSubmit, service)
      const timeoutS = body.timeout ?? undefined
      await sendTaskRequest(service, callOf(c, path), { input: joinedJson(objectPieces(sent)), timeoutS })
      return c.json({ status: 'RUNNING', timeout: body.timeout ?? null })
    },
    async taskTimeout(c) {
      const { path, body } = await parseRequest(c, taskTimeout, service)
      await setTaskTimeout(service, callOf(c, path), body.timeout)
      return c.json({ status: 'RUNNING', timeout: body.timeout })
    },
    async taskResult(c) {
      const { path } = await parseRequest(c, taskResult, service)
      const pieces = await readTaskResult(service, callOf(c, path))
      await service.storage.durable()
      return jsonResponse(pieces)
    },
  }
}
