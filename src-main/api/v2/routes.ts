import type { V2Operation } from '../../contract/v2-routes.ts'
import { cancel, purge, retry } from './move.ts'
import type { Operation } from './operation.ts'
import { health, requests } from './read.ts'
import { run } from './run.ts'
import { runsync, statusSync } from './runsync.ts'
import { status } from './status.ts'
import { stream } from './stream.ts'

/** Which code answers which operation of the job API. */
export const V2_OPERATIONS: Readonly<Record<V2Operation, Operation>> = {
  run,
  runsync,
  status,
  statusSync,
  stream,
  cancel,
  retry,
  purgeQueue: purge,
  health,
  requests,
}

/** Names under which strict limits know the operations. */
export const LIMIT_NAMES: Readonly<Partial<Record<V2Operation, string>>> = {
  run: 'run',
  runsync: 'runsync',
  status: 'status',
  statusSync: 'status',
  stream: 'stream',
  cancel: 'cancel',
  purgeQueue: 'purge-queue',
  requests: 'requests',
}
