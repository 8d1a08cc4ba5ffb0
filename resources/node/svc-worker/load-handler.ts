import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { trimmedStack } from './errors.ts'
import type { Handler, Program } from './handler.ts'

export class HandlerFileError extends Error {}

export async function loadProgram(given: string): Promise<Program> {
  const path = resolve(given)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new HandlerFileError(`svc-worker: ${path} does not exist or is not a file`)
  const exported = await importFile(path)
  const handler = exported.handler ?? exported.default
  if (typeof handler !== 'function')
    throw new HandlerFileError(`svc-worker: ${path} exports no function named "handler"`)
  const { concurrency } = exported
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && Number(concurrency) >= 1))
    throw new HandlerFileError(`svc-worker: ${path}: "concurrency" must be a whole number of at least 1`)
  return {
    handler: handler as Handler,
    concurrency: concurrency as number | undefined,
    returnAggregateStream: exported.returnAggregateStream === true,
  }
}

async function importFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  process.argv = [process.argv[0] ?? 'node', path]
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    throw new HandlerFileError(trimmedStack(error), { cause: error })
  }
}
